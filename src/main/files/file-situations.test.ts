import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { CallEvent } from './file-history.ts'
import { FILE, call, write, edit, read, bash, patch, lastOf, textOf } from './fixtures/recorded-calls.ts'

const created = (content: string) => ({
  ...call('Write', { file_path: FILE, content }, '', { detail: { type: 'create', filePath: FILE, content } }),
  uuid: 'again',
})
const updated = (content: string, lines: readonly string[]) =>
  call('Write', { file_path: FILE, content }, '', {
    detail: { type: 'update', filePath: FILE, content, structuredPatch: [{ oldStart: 1, newStart: 1, lines }] },
  })

const STEPS: Readonly<Record<string, (...told: never[]) => CallEvent>> = {
  call,
  write,
  edit,
  read,
  bash,
  patch,
  created,
  updated,
}

const FACTS: Readonly<Record<string, object>> = {
  known: { kind: 'known' },
  absent: { kind: 'absent' },
  unknown: { kind: 'unknown' },
  whole: { isWhole: true },
  part: { isWhole: false },
  sure: { doubtedSince: null },
  doubted: { doubtedSince: expect.any(String) as unknown },
  crlf: { ending: 'crlf' },
  'any-ending': { ending: null },
}

/** Returns what is expected: facts and, behind a colon, the origin of each line, its event (`again`), or any (`.`). */
function expected(words: string): object {
  const [facts = '', lines] = words.split(': ')
  const states = facts.split(' ').filter((word) => word !== '')
  const lineOf = (word: string) => (word === '.' ? {} : word === 'again' ? { event: word } : { origin: word })
  return Object.assign(
    {},
    ...states.map((word) => FACTS[word] ?? expect.unreachable(`no fact is named ${word}`)),
    lines === undefined ? {} : { lines: lines.split(' ').map(lineOf) },
  ) as object
}

/** What happened to the file: the name of the situation, its steps, the text at the end (`?`: a hole), and facts of it. */
type Situation = readonly [name: string, steps: readonly (readonly [string, ...never[]])[], text: string, facts: string]

const SITUATIONS = readFileSync(new URL('fixtures/situations.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Situation)

test.each(SITUATIONS)('%s', (_, steps, text, facts) => {
  const state = lastOf(steps.map(([name, ...told]) => STEPS[name]?.(...told) ?? expect.unreachable(name)))
  expect(textOf(state) ?? '').toBe(text)
  expect(state ?? { kind: 'unknown' }).toMatchObject(expected(facts))
})
