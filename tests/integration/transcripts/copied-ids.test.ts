import { randomUUID } from 'node:crypto'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answered, said, transcriptLines } from '../../support/store/transcript-lines.ts'
import { temporaryFolder } from '../../support/store/folder.ts'
import { importInto } from '../../support/transcripts/import-folder.ts'
import { importedSessions } from '../../support/transcripts/imported-sessions.ts'
import { few } from '../../support/runner/heavy.ts'

type Line = { readonly [field: string]: unknown }

const ID = (name: string) => `10000000-0000-4000-8000-0000000000${name.padStart(2, '0')}`
const [ORIGINAL, COPY, SECOND, OTHER] = ['a1', 'b2', 'c3', 'd4'].map(ID) as [string, string, string, string]

/** A turn with thinking, a call and its result, and an answer: 45 tokens. */
const turn = (name: string) => [
  said('the same words each time'),
  ...answered(
    `msg_of_a_whole_length_${name}_1`,
    { type: 'thinking', thinking: `thinks of ${name}`, signature: 's' },
    { type: 'tool_use', id: `toolu_${name}`, name: 'Bash', input: { command: name } },
  ),
  {
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${name}`, content: name }] },
  },
  ...answered(
    `msg_of_a_whole_length_${name}_2`,
    { type: 'thinking', thinking: '', signature: 's' },
    { type: 'text', text: `answers ${name}` },
  ),
]
const TURN_TOKENS = 2 * 16

const sessionOf = (session: string, ...turns: readonly string[]): Line[] =>
  transcriptLines(session, turns.flatMap(turn)).map((line) => JSON.parse(line) as Line)

/** Lines under a new session id and new uuids, as a program that is not the client copies them; its own turns follow. */
function copied(lines: readonly Line[], session: string, ...own: readonly string[]): Line[] {
  const names = new Map(lines.map(({ uuid }) => [uuid, randomUUID() as string]))
  const copies = lines.map((line) => ({
    ...line,
    sessionId: session,
    uuid: names.get(line['uuid']),
    parentUuid: names.get(line['parentUuid']) ?? null,
  }))
  const parent = copies.at(-1)?.uuid ?? null
  const at = Date.parse(String(lines.at(-1)?.['timestamp'])) + 60_000 * Number.parseInt(session.slice(-1), 36)
  const added = transcriptLines(session, own.flatMap(turn), { at, parent })
  return [...copies, ...added.map((line) => JSON.parse(line) as Line)]
}

/** Files below one folder, in the order of their times. */
function written(...sessions: readonly (readonly Line[])[]): { readonly folder: string; readonly files: string[] } {
  const folder = join(temporaryFolder(), 'projects')
  mkdirSync(folder)
  const files = sessions.map((lines, at) => {
    const file = join(folder, `${String(lines[0]?.['sessionId'])}.jsonl`)
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    utimesSync(file, 1_790_000_000 + 60 * at, 1_790_000_000 + 60 * at)
    return file
  })
  return { folder, files }
}

const prompts = (count: number) => Array.from({ length: count }, () => 'the same words each time')
const of = (turns: number) => ({ prompts: prompts(turns), tokens: turns * TURN_TOKENS })

const original = sessionOf(ORIGINAL, 'one', 'two')
const copy = copied(original, COPY, 'three')
const CASES: { readonly [what: string]: { readonly sessions: Line[][]; readonly expected: object } } = {
  'a copy with a turn more': { sessions: [original, copy], expected: { [ORIGINAL]: of(2), [COPY]: of(1) } },
  'a copy of the beginning, and both go on': {
    sessions: [sessionOf(ORIGINAL, 'one', 'two'), copied(original.slice(0, 6), COPY, 'three', 'four')],
    expected: { [ORIGINAL]: of(2), [COPY]: of(2) },
  },
  'a copy of a copy': {
    sessions: [original, copy, copied(copy, SECOND, 'five')],
    expected: { [ORIGINAL]: of(2), [COPY]: of(1), [SECOND]: of(1) },
  },
  'two copies': {
    sessions: [original, copy, copied(original, SECOND, 'six', 'seven')],
    expected: { [ORIGINAL]: of(2), [COPY]: of(1), [SECOND]: of(2) },
  },
  'the same prompts at the same times, but other answers': {
    sessions: [sessionOf(ORIGINAL, 'one', 'two'), sessionOf(OTHER, 'eight', 'nine')],
    expected: { [ORIGINAL]: of(2), [OTHER]: of(2) },
  },
}

test.each(few(Object.entries(CASES), 1))(
  '%s: each line counts once, as its original’s',
  async (_, { sessions, expected }) => {
    const orders = [sessions, sessions.toReversed()]
    for (const order of orders) {
      expect(importedSessions(await importInto(temporaryFolder(), [written(...order).folder]))).toEqual(expected)
    }
    for (const order of orders) {
      const dataDir = temporaryFolder()
      const { files, folder } = written(...order)
      for (const file of files) await importInto(dataDir, [file])
      expect(importedSessions(join(dataDir, 'lifestats.db'))).toEqual(expected)
      // Nothing is left to add.
      expect(importedSessions(await importInto(dataDir, [folder]))).toEqual(expected)
    }
  },
)

test('sessions with equal words and the answers that a test’s own server numbers are no copies', async () => {
  const parts = [said('Reply: ok'), ...answered('msg_mock_1', { type: 'text', text: 'ok' })]
  const numbered = (session: string, at: number) =>
    transcriptLines(session, parts, { at }).map((line) => JSON.parse(line) as Line)
  const at = Date.UTC(2026, 4, 18)
  const one = { prompts: ['Reply: ok'], tokens: 15 }
  const { folder } = written(numbered(ORIGINAL, at), numbered(OTHER, at + 80_000))
  const sessions = importedSessions(await importInto(temporaryFolder(), [folder]))
  expect(sessions).toEqual({ [ORIGINAL]: one, [OTHER]: one })
})

test('a history that its own file repeats under new uuids counts once, and equal prompts of other times count', async () => {
  const lines = sessionOf(ORIGINAL, 'x', 'y')
  const path = join(temporaryFolder(), `${ORIGINAL}.jsonl`)
  const again = copied(lines, ORIGINAL)
  writeFileSync(path, [...lines, ...again].map((line) => `${JSON.stringify(line)}\n`).join(''))
  const sessions = importedSessions(await importInto(temporaryFolder(), [path]))
  const prompt = 'the same words each time'
  expect(sessions).toEqual({ [ORIGINAL]: { prompts: [prompt, prompt], tokens: 2 * TURN_TOKENS } })
})
