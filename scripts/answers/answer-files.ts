import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Texts that are written at once. */
const AT_ONCE = 1_000_000

/** Writes a JSON list with one entry a line. */
export async function writeList(path: string, entries: AsyncIterable<string> | Iterable<string>): Promise<number> {
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, 'wx')
  let [text, count] = ['[', 0]
  try {
    for await (const entry of entries) {
      text += `${count === 0 ? '' : ','}\n${entry}`
      count += 1
      if (text.length < AT_ONCE) continue
      writeSync(file, text)
      text = ''
    }
    writeSync(file, `${text}\n]\n`)
  } finally {
    closeSync(file)
  }
  return count
}
