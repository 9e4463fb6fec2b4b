/**
 * `node scripts/draw-comments.ts SEED [COUNT]`: prints a random sample of the comments in `src`, with file and line, to be
 * judged by a reader (docs/design/reading-tests.md). The same seed draws the same comments from the same tree.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

interface Drawn {
  readonly at: string
  readonly text: string
}

const ROOT = join(import.meta.dirname, '..')
const [seed = '', count = '70'] = process.argv.slice(2)
if (!/^\d+$/.test(seed) || !/^\d+$/.test(count)) {
  console.error('Name a seed: node scripts/draw-comments.ts SEED [COUNT]')
  process.exit(2)
}

/** Returns the comments of a file, with line comments that follow each other joined. */
function commentsIn(file: string): Drawn[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const drawn: { line: number; last: number; text: string; isLine: boolean }[] = []
  for (const { type, value, start, end } of parseSync(file, source).comments) {
    const line = lineAt(source, start)
    const text = value
      .replaceAll(/^[ \t]*\*+ ?/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim()
    const before = drawn.at(-1)
    if (type === 'Line' && before?.isLine === true && before.last === line - 1) {
      before.text += ` ${text}`
      before.last = line
    } else drawn.push({ line, last: lineAt(source, end), text, isLine: type === 'Line' })
  }
  return drawn.map(({ line, text }) => ({ at: `${file}:${line}`, text }))
}

const lineAt = (source: string, offset: number): number => source.slice(0, offset).split('\n').length

/** Returns a whole number below `limit`, the same for the same state (mulberry32). */
function randomBelow(limit: number, state: { value: number }): number {
  state.value = (state.value + 0x6d2b79f5) >>> 0
  let mixed = Math.imul(state.value ^ (state.value >>> 15), 1 | state.value)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
}

const pool = globSync('src/**/*.{ts,tsx}', { cwd: ROOT })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !file.includes('/fixtures/'))
  .toSorted()
  .flatMap(commentsIn)
const state = { value: Number(seed) }
for (let n = 1; n <= Number(count) && pool.length > 0; n += 1) {
  const [drawn] = pool.splice(randomBelow(pool.length, state), 1)
  if (drawn !== undefined) console.log(`${n}. ${drawn.at}\n   ${drawn.text}`)
}
