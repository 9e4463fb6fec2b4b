import { AspyError } from '../../../../shared/contract/errors.ts'

/** Cursors of lists are offsets: lists of a team are short, and change while they are read. */

const DEEPEST = 100_000

/** Returns the number of rows before a page. Throws `bad_input`. */
export function offsetOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const offset = /^o(\d{1,6})$/.exec(cursor)?.[1]
  if (offset === undefined || Number(offset) > DEEPEST)
    throw new AspyError('bad_input', 'cursor: not a cursor of this list; use `next` of the previous page')
  return Number(offset)
}

export const cursorOf = (hasMore: boolean, offset: number): string | null => (hasMore ? `o${offset}` : null)
