import type { FileHandle } from 'node:fs/promises'
import { isObject, jsonOrNull } from '../../../shared/json-fields.ts'
import type { DocumentParts } from '../../decode/client/transcript-client.ts'
import type { LineBatch } from './read-lines.ts'

/** A larger file is refused, since it is parsed as a whole. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * Reads a file that is one JSON object: its head, then the elements of its list, each as a line. Returns null if the file is
 * refused: it is larger than 64 MB, or not such an object.
 */
export async function readDocument(
  file: FileHandle,
  { head, list }: DocumentParts,
  maxBytes = MAX_BYTES,
): Promise<LineBatch | null> {
  const { size } = await file.stat()
  if (size > maxBytes) return null
  const bytes = Buffer.alloc(size)
  const { bytesRead } = await file.read(bytes, 0, size, 0)
  const value = jsonOrNull(new TextDecoder().decode(bytes.subarray(0, bytesRead)))
  const items = isObject(value) ? value[list] : undefined
  if (!isObject(value) || !Array.isArray(items)) return null
  const parts: readonly unknown[] = value[head] === undefined ? items : [value[head], ...items]
  return { lines: parts.map((part) => ({ text: JSON.stringify(part), end: bytesRead })), offset: bytesRead, rest: '' }
}
