import { expect, test } from 'vitest'
import { createTranscriptDecoder } from '../../../src/main/decode/client/claude-code/transcripts/transcript-decoder.ts'
import { plainHash } from '../../../src/main/decode/fixtures/replay.ts'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { checkTextIndexes, contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'
import { draftOf } from '../../support/store/seeded-store.ts'

const at = (second: number) => `2026-11-21T10:00:${String(second).padStart(2, '0')}.000Z`
const sentence = 'A sentence of a client that is newer than this list.'

/** A prompt as the wire shows it: without any mark of who wrote it. */
const onWire = (text: string, second: number): AnyDraft => ({
  ...draftOf('user_prompt', { text }, { at: at(second), session_id: 's1', source: 'wire' }),
  keys: [`exchange:e${second}:prompt:0`],
  text_identity: { text, within_ms: 10_000 },
})
const answer = (text: string, second: number): AnyDraft => ({
  ...draftOf(
    'assistant_text',
    { text, message_id: `m${second}`, index: 0 },
    { at: at(second), session_id: 's1', source: 'wire' },
  ),
  keys: [`block:m${second}:0`],
  parents: [`exchange:e${second - 1}:prompt:0`],
})

function fromTranscript(...lines: readonly object[]): readonly AnyDraft[] {
  const decoder = createTranscriptDecoder({ hash: plainHash })
  const drafts = lines.flatMap((line) => decoder.line(JSON.stringify({ type: 'user', sessionId: 's1', ...line })))
  return [...drafts, ...decoder.end()]
}
const line = (text: string, second: number, more: object = {}) => ({
  uuid: `u${second}`,
  timestamp: at(second),
  message: { role: 'user', content: text },
  ...more,
})

/** Appends each list on its own; returns the tables, after checking that a rebuild gives the same rows. */
function tablesOf(
  ...appends: readonly (readonly AnyDraft[])[]
): Record<string, { readonly [column: string]: unknown }[]> {
  const { store, dbPath } = openTestStore()
  for (const drafts of appends) store.ingest.append(drafts)
  store.close()
  return withWriter(dbPath, (db) => {
    checkTextIndexes(db)
    const followed = contentsOfProjections(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    checkTextIndexes(db)
    const rebuilt = contentsOfProjections(db)
    for (const [table, rows] of Object.entries(followed)) expect(rebuilt[table], table).toEqual(rows)
    return followed as Record<string, { readonly [column: string]: unknown }[]>
  })
}

const live = [onWire(sentence, 1), answer('I go on.', 2), onWire('Paint the door', 3), answer('Painted.', 4)]

test('the transcript takes back a prompt that was the client’s own sentence', () => {
  const before = tablesOf(live)
  expect(before['user_prompts']).toHaveLength(2)
  const after = tablesOf(live, fromTranscript(line(sentence, 1, { isMeta: true }), line('Paint the door', 3)))
  expect(after['user_prompts']?.map(({ content, prompt_number }) => [content, prompt_number])).toEqual([
    ['Paint the door', 1],
  ])
  expect(after['sessions']).toMatchObject([{ prompts: 1, title: 'Paint the door' }])
  expect(after['rollups']?.reduce((sum, { prompts }) => sum + Number(prompts), 0)).toBe(1)
  expect(after['recall_docs']?.map(({ digest }) => digest).toSorted()).toEqual([
    'I go on.',
    'Paint the door',
    'Painted.',
  ])
  // Nobody asked in the first turn: its answer precedes the first prompt.
  expect(after['turns']?.map(({ turn_id, prompt_uuid }) => [turn_id, prompt_uuid === null])).toEqual([
    [0, true],
    [2, false],
  ])
  expect(after['joined_turns']).toEqual([{ session_id: 's1', turn_id: 1, part_of: 0 }])
})

test('the turn that a sentence of the client began is part of the turn before it, also for what comes later', () => {
  const said = [
    onWire('Paint the door', 1),
    answer('Painted.', 2),
    onWire(sentence, 3),
    answer('I go on.', 4),
    onWire(`${sentence} And one more.`, 5),
    answer('Again.', 6),
    onWire('Paint the till', 7),
  ]
  const meta = (second: number, text: string) => line(text, second, { isMeta: true })
  const later = { ...answer('Late.', 8), parents: ['block:m6:0'] } as AnyDraft
  const rows = (tables: ReturnType<typeof tablesOf>) =>
    tables['turns']?.map(({ turn_id, events, prompt_uuid }) => [turn_id, events, prompt_uuid !== null])
  const both = [meta(3, sentence), meta(5, `${sentence} And one more.`)] as const
  const expected = [
    [1, 12, true],
    [4, 1, true],
  ]
  const first = fromTranscript(line('Paint the door', 1), both[0])
  const second = fromTranscript(line('Paint the door', 1), both[1])
  // Each correction also leaves its own event in the turn that continues, and each prompt the end of the turn before it.
  expect(rows(tablesOf(said, first, second, [later]))).toEqual(expected)
  expect(rows(tablesOf(said, second, [later], first))).toEqual(expected)
})

test('what hangs from a sentence of the client goes on from what came before it', () => {
  const said = [onWire('Paint the door', 1), answer('Painted.', 2), onWire(sentence, 3), answer('I go on.', 4)]
  const chain = (tables: Awaited<ReturnType<typeof tablesOf>>) =>
    tables['ancestry']?.map(({ event_id, parent_id, root_id }) => [event_id, parent_id, root_id])
  expect(chain(tablesOf(said))).toEqual([
    [1, null, 1],
    [2, 1, 1],
    [3, null, 3],
    // The end of the first turn.
    [4, 1, 1],
    [5, 3, 3],
  ])
  const typed = { uuid: 'u1', timestamp: at(1), message: { role: 'user', content: 'Paint the door' } }
  const meta = {
    uuid: 'u3',
    parentUuid: 'u1',
    isMeta: true,
    timestamp: at(3),
    message: { role: 'user', content: sentence },
  }
  expect(chain(tablesOf(said, fromTranscript(typed, meta)))?.slice(0, 5)).toEqual([
    [1, null, 1],
    [2, 1, 1],
    [3, 1, 1],
    [4, 1, 1],
    [5, 3, 1],
  ])
})

test('the same words typed by a person stay a prompt', () => {
  const typed = fromTranscript(line(sentence, 1))
  expect(tablesOf(live, typed)['user_prompts']).toHaveLength(2)
  // A sentence of the client that nobody took for a prompt adds nothing.
  expect(tablesOf(fromTranscript(line(sentence, 1, { isMeta: true })))['user_prompts']).toEqual([])
})

test('the words are those of the transcript, tags included, and so are title and search', () => {
  const exact = 'why does <system-reminder>x</system-reminder> show up?'
  const tables = tablesOf([onWire('why does  show up?', 1)], fromTranscript(line(exact, 1)))
  expect(tables['user_prompts']).toMatchObject([{ content: exact }])
  expect(tables['sessions']).toMatchObject([{ title: exact, prompts: 1 }])
})

test('a slash command is a title only while there is no prompt', () => {
  const command = { ...line('<command-name>/clear</command-name>', 1) }
  expect(tablesOf(fromTranscript(command))['sessions']).toMatchObject([{ title: '/clear' }])
  expect(tablesOf(fromTranscript(command, line('/home/ada is my home', 5)))['sessions']).toMatchObject([
    { title: '/home/ada is my home' },
  ])
})
