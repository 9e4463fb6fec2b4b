import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBeginnings, NOTHING } from './file-beginning.ts'
import { originalsFirst } from './fork-order.ts'
import { newestFirst, newestFrom } from './import-order.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aspy-order-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A transcript whose lines are `uuid@minute`, of summaries `*uuid@minute`; one without a minute is a note of the client. */
function file(name: string, lines: readonly string[], { mtimeMs = 0, isAgent = false } = {}) {
  const path = join(folder, name)
  const texts = lines.map((line) => {
    const [uuid, minute] = line.split('@')
    if (minute === undefined) return '{"type":"mode"}'
    const timestamp = `2026-11-20T10:0${minute}:00.000Z`
    if (uuid?.startsWith('*')) return JSON.stringify({ type: 'user', uuid, timestamp, isCompactSummary: true })
    return JSON.stringify({ type: 'user', uuid, timestamp })
  })
  writeFileSync(path, `${texts.join('\n')}\n`)
  return { path, dev: 0, ino: 0, size: 1, mtimeMs, isAgent }
}
const names = (files: readonly { readonly path: string }[]) => files.map(({ path }) => basename(path, '.jsonl'))

test('an original comes before its forks, by the first line that nobody else has', async () => {
  const early = file('early.jsonl', ['a@1', 'b@2', 'own1@3'])
  const late = file('late.jsonl', ['a@1', 'b@2', 'own2@5'])
  const other = file('other.jsonl', ['x@0'])
  expect(names(await originalsFirst([late, other, early], createBeginnings()))).toEqual(['early', 'other', 'late'])
})

test('an original that went on after its fork comes before it, by the first note of the client', async () => {
  const original = file('original.jsonl', ['a@1', 'note', 'b@2', 'own1@7'])
  const fork = file('fork.jsonl', ['a@1', 'b@2', 'own2@5', 'note'])
  expect(names(await originalsFirst([fork, original], createBeginnings()))).toEqual(['original', 'fork'])
  const bare = file('bare.jsonl', ['a@1', 'b@2', 'own3@6'])
  expect(names(await originalsFirst([bare, fork], createBeginnings()))).toEqual(['fork', 'bare'])
})

test('an original comes before the forks of its compacted conversation, which begin with the summary', async () => {
  const original = file('original.jsonl', ['a@1', '*sum@2', 'b@3'])
  const fork = file('fork.jsonl', ['*sum@2', 'b@3', 'own@4'])
  const other = file('other.jsonl', ['*sum@2', 'b@3', 'own2@5'])
  const ordered = await originalsFirst([other, fork, original], createBeginnings())
  expect(names(ordered)).toEqual(['original', 'fork', 'other'])
})

test('one that others copied whole comes first, and of two such ones the shorter', async () => {
  const whole = file('whole.jsonl', ['a@1', 'b@2'])
  const longer = file('longer.jsonl', ['a@1', 'b@2', 'c@3'])
  const fork = file('fork.jsonl', ['a@1', 'b@2', 'c@3', 'own@4'])
  expect(names(await originalsFirst([fork, longer, whole], createBeginnings()))).toEqual(['whole', 'longer', 'fork'])
})

test('the newest session is read first, each before its agents, and says back to when all is read', async () => {
  const old = file('old.jsonl', ['a@1'], { mtimeMs: 1000 })
  const agent = file('agent-x.jsonl', ['b@1'], { mtimeMs: 5000, isAgent: true })
  const recent = file('recent.jsonl', ['c@1'], { mtimeMs: 3000 })
  const ordered = await newestFirst([old, agent, recent], createBeginnings())
  expect(names(ordered)).toEqual(['recent', 'old', 'agent-x'])
  const from = (ms: number) => new Date(ms).toISOString()
  expect(newestFrom(ordered)).toEqual([from(5000), from(5000), from(5000)])
  expect(newestFrom([agent, recent, old])).toEqual([from(5000), from(3000), from(1000)])
})

test('the first message is found behind other lines, and what is not a message or cannot be read has none', () => {
  const path = join(folder, 'a.jsonl')
  const message = '{"type":"user","uuid":"first"}'
  const firstUuid = (text: string) => {
    writeFileSync(path, text)
    return createBeginnings()(path).uuid
  }
  expect(
    firstUuid(`{"type":"mode"}\n\n{"type":"user"}\nbroken "type":"user"\n${message}\n{"type":"user","uuid":"b"}\n`),
  ).toBe('first')
  expect(firstUuid(message)).toBe('first')
  expect(firstUuid('{"type":"mode","uuid":"a"}\n')).toBe(null)
  expect(firstUuid('')).toBe(null)
  expect(createBeginnings()(join(folder, 'missing.jsonl'))).toEqual(NOTHING)
})
