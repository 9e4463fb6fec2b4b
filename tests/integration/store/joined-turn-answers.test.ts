import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createTranscriptDecoder } from '../../../src/main/decode/client/claude-code/transcripts/transcript-decoder.ts'
import { plainHash } from '../../../src/main/decode/fixtures/replay.ts'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { draftOf } from '../../support/store/seeded-store.ts'

const began = Date.now() - 60_000
const at = (second: number) => new Date(began + second * 1000).toISOString()
const sentence = 'A sentence of a client that is newer than this list.'

const onWire = (text: string, second: number): AnyDraft => ({
  ...draftOf('user_prompt', { text }, { at: at(second), session_id: 's1', source: 'wire' }),
  keys: [`exchange:e${second}:prompt:0`],
  text_identity: { text, within_ms: 10_000 },
})
const call = (id: string, second: number): AnyDraft => ({
  ...draftOf(
    'tool_call',
    { call_id: id, tool_name: 'Bash', input: { command: 'ls' }, message_id: null, index: 0 },
    { at: at(second), session_id: 's1', source: 'wire' },
  ),
  keys: [`call:${id}`],
  parents: [`exchange:e${second - 1}:prompt:0`],
})

/** A turn of one call, which the client's own sentence continues with another call. Neither has a result. */
function readerOfJoinedTurn() {
  const { store, folder } = openTestStore()
  store.ingest.append([onWire('Paint the door', 1), call('c1', 2), onWire(sentence, 3), call('c2', 4)])
  const decoder = createTranscriptDecoder({ hash: plainHash })
  const lines = [
    { uuid: 'u1', timestamp: at(1), message: { role: 'user', content: 'Paint the door' } },
    { uuid: 'u3', timestamp: at(3), isMeta: true, message: { role: 'user', content: sentence } },
  ]
  const drafts = lines.flatMap((line) => decoder.line(JSON.stringify({ type: 'user', sessionId: 's1', ...line })))
  store.ingest.append([...drafts, ...decoder.end()])
  store.close()
  const db = openReader(join(folder, 'lifestats.db'))
  onTestFinished(() => void db.close())
  return createReader(db, createBudget(new Int32Array(1)))
}

test('a turn that the client continued has all its waiting calls, by each of its numbers', () => {
  const reader = readerOfJoinedTurn()
  for (const turn of [1, 2]) {
    const { turn_id, prompt, pending } = readerHandlers['sessions.turn'](reader, { session_id: 's1', turn })
    expect([turn_id, prompt]).toEqual([1, 'Paint the door'])
    expect(pending.map(({ call_id }) => call_id)).toEqual(['c2', 'c1'])
  }
})

test('events are counted for the whole turn', () => {
  const reader = readerOfJoinedTurn()
  const count = (turn_id: number) =>
    readerHandlers['events.count'](reader, { session_id: 's1', turn_id, kind: 'tool_call' })
  expect([count(1), count(2)]).toEqual([{ count: 2 }, { count: 2 }])
})

test('the running turn keeps its prompt and its sums when the client continues it', () => {
  const { sessions } = readerHandlers['live.turns'](readerOfJoinedTurn(), { limit: 50 })
  // The newest number: events that follow carry it, and do not begin another turn.
  expect(sessions).toMatchObject([{ turn_id: 2, prompt: 'Paint the door', tools: 2, turn_started_at: at(1) }])
})
