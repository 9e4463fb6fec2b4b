import { AspyError } from '../../shared/contract/errors.ts'

export type KeyPart = string | number

/** Encodes the sort key of a page's last row as an opaque cursor. */
export const toCursor = (key: readonly KeyPart[]): string => Buffer.from(JSON.stringify(key)).toString('base64url')

/** Decodes a cursor into a key whose parts have the types of `shape`. Throws `bad_input`. */
export function fromCursor<const Shape extends readonly ('string' | 'number')[]>(
  cursor: string,
  shape: Shape,
): { [Index in keyof Shape]: Shape[Index] extends 'number' ? number : string } {
  const key = parse(cursor)
  if (!Array.isArray(key) || key.length !== shape.length || shape.some((type, index) => typeof key[index] !== type))
    throw badCursor()
  return key as { [Index in keyof Shape]: Shape[Index] extends 'number' ? number : string }
}

/** Returns the error for a cursor that no page of this list returned. */
export function badCursor(): AspyError {
  return new AspyError('bad_input', 'cursor: not a cursor of this list; use `next` of the previous page')
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch (error) {
    // This app did not create it; the caller's message says so.
    return error
  }
}
