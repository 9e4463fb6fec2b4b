import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Texts that are written at once. */
const AT_ONCE = 1_000_000

/** Writes a JSON list with one entry a line. */
export async function writeList<T>(
  path: string,
  entries: AsyncIterable<T> | Iterable<T>,
  toText: (entry: T) => string,
): Promise<void> {
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, 'wx')
  let text = '['
  let separator = ''
  try {
    for await (const entry of entries) {
      text += `${separator}\n${toText(entry)}`
      separator = ','
      if (text.length < AT_ONCE) continue
      writeSync(file, text)
      text = ''
    }
    writeSync(file, `${text}\n]\n`)
  } finally {
    closeSync(file)
  }
}
