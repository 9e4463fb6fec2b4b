import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { claudeLines } from '../../../src/main/cli/export/claude-lines.ts'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import type { RecordedRun } from '../../../src/main/decode/fixtures/recorded-runs.ts'
import { plainHash, replayTranscripts, replayWire } from '../../../src/main/decode/fixtures/replay.ts'
import { assistant, decode, user } from '../../../src/main/decode/fixtures/transcript-lines.ts'
import { createResponseDecoder } from '../../../src/main/decode/wire/openai-responses/response.ts'
import { objectOf } from '../../../src/shared/json-fields.ts'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import type { Store } from '../../../src/main/store/store.ts'
import { relayedRun, relays, type RelayedSessions } from '../../support/recorder/relayed-run.ts'
import { runs } from '../../support/runner/heavy.ts'
import { openTestStore, readStore } from '../../support/store/folder.ts'
import { reading } from '../../support/store/reading.ts'
import type { JsonObject } from '../../../src/shared/event.ts'

/** Kinds that both the traffic and a transcript report. */
const TOLD_BY_BOTH = [
  'user_prompt',
  'thinking',
  'assistant_text',
  'tool_call',
  'tool_result',
  'api_usage',
  'turn_ended',
]

/** Adds drafts as they arrive: those of a moment at once. Returns the added kinds that both sources report. */
function add(store: Store, drafts: readonly AnyDraft[]): string[] {
  const moments = new Map<string, AnyDraft[]>()
  for (const draft of drafts) {
    const moment = moments.get(draft.ts_wall)
    if (moment) moment.push(draft)
    else moments.set(draft.ts_wall, [draft])
  }
  return [...moments.values()].flatMap((moment) =>
    store.ingest.append(moment).added.flatMap(({ event }) => (TOLD_BY_BOTH.includes(event.kind) ? [event.kind] : [])),
  )
}

function expected({ sessions }: RelayedSessions): Record<string, number> {
  const all = sessions.flat()
  return {
    api_usage: all.length,
    assistant_text: all.filter(({ text, calls }) => text !== null || !calls).length,
    tool_call: all.filter(({ calls }) => calls).length,
    // The last answer's call was never run.
    tool_result: sessions.flatMap((session) => session.slice(0, -1)).filter(({ calls }) => calls).length,
    tokens: all.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
  }
}

function recorded(dbPath: string): Record<string, number> {
  return readStore(dbPath, (db) => {
    const count = (kind: string) => Number(db.prepare('SELECT count(*) FROM events WHERE kind = ?').pluck().get(kind))
    const tokens = db.prepare<[], number>('SELECT coalesce(sum(input_tokens), 0) FROM api_usage').pluck().get() ?? 0
    return {
      ...Object.fromEntries(
        ['api_usage', 'assistant_text', 'tool_call', 'tool_result'].map((kind) => [kind, count(kind)]),
      ),
      tokens,
    }
  })
}

/** Returns transcripts that a resumed session copied, with the uuids of the lines. */
function copied(run: RecordedRun): RecordedRun {
  const transcripts = run.transcripts.map(({ path, lines }, at) => ({
    path: path.replace('.jsonl', '-copy.jsonl'),
    lines: lines.map((line) => ({ ...line, sessionId: `copy-${at}` })),
  }))
  return { ...run, transcripts }
}

test('answers with one id, or with none, are recorded one by one, live and from the transcript, in any order', () => {
  fc.assert(
    fc.property(relays, (relay) => {
      const run = relayedRun(relay)
      const [wire, transcripts] = [replayWire(run).drafts, replayTranscripts(run)]
      const followed = [...wire, ...transcripts].toSorted((one, other) => one.ts_wall.localeCompare(other.ts_wall))
      for (const [first, second] of [
        [wire, transcripts],
        [transcripts, wire],
        [followed, wire],
      ] as const) {
        const { store, dbPath } = openTestStore()
        add(store, first)
        expect(recorded(dbPath)).toEqual(expected(relay))
        expect(add(store, second)).toEqual([])
        expect(add(store, replayTranscripts(run))).toEqual([])
        expect(add(store, replayTranscripts(copied(run)))).toEqual([])
        expect(recorded(dbPath)).toEqual(expected(relay))
        store.close()
      }
    }),
    { numRuns: runs(6, 3000), endOnFailure: true },
  )
})

const SESSION = '00000000-0000-4000-8000-000000000001'
const THREE: RelayedSessions = {
  note: 'three answers with one id',
  sessions: [['one', 'two', 'three'].map((text, at) => ({ text, thinking: null, calls: false, inputTokens: at + 1 }))],
  messageId: () => 'msg_1',
  requestId: () => undefined,
  callId: () => 'toolu_1',
  streams: true,
  numbersBlocks: true,
  saysStops: true,
  pauseMs: 1000,
}

test('a history repeats calls that have one id, and adds none', () => {
  const calling: RelayedSessions = {
    ...THREE,
    sessions: [['one', 'two', null].map((text, at) => ({ text, thinking: null, calls: true, inputTokens: at }))],
    callId: () => 'functions.Bash:0',
  }
  const { drafts } = replayWire(relayedRun(calling))
  const { store, dbPath } = openTestStore()
  add(store, drafts)
  const told = drafts.flatMap((draft, at): AnyDraft[] =>
    draft.kind === 'tool_call'
      ? [
          {
            ...draft,
            keys: ['call:functions.Bash:0', `exchange:later:history:${at}`],
            payload: { ...draft.payload, seen_in_history: true },
          },
        ]
      : [],
  )
  expect(told).toHaveLength(3)
  expect(add(store, told)).toEqual([])
  expect(recorded(dbPath)).toEqual(expected(calling))
  store.close()
})

test('results of calls to which one answer gives one id belong to them in their order, and later ones to later calls', () => {
  const call = (input: string) => ({ type: 'tool_use', id: 'call_0', name: 'Bash', input: { command: input } })
  const result = (content: string) => ({ type: 'tool_result', tool_use_id: 'call_0', content })
  const { store, dbPath } = openTestStore()
  const drafts = decode([
    user('u1', null, 'go'),
    assistant('a1', 'u1', 'msg_1', [call('one'), call('two'), call('three')]),
    user('u2', 'a1', [result('1'), result('2')]),
    user('u3', 'u2', [result('3')]),
    assistant('a2', 'u3', 'msg_2', [call('four')], { requestId: 'req_2' }),
    user('u4', 'a2', [result('4')]),
  ])
  for (const draft of drafts) store.ingest.append([draft])
  const pairs = readStore(dbPath, (db) =>
    db
      .prepare(
        "SELECT json_extract(c.input_json, '$.command') AS command, r.output_json AS output FROM tool_calls c JOIN tool_results r USING (call_id) ORDER BY r.id",
      )
      .all(),
  )
  expect(pairs).toEqual(
    ['one', 'two', 'three', 'four'].map((command, at) => ({ command, output: JSON.stringify(String(at + 1)) })),
  )
  store.close()
})

const CONTEXT = {
  requestKind: 'prompt' as const,
  model: 'gpt-6.1-sol',
  agentId: null,
  project: null,
  account: null,
  tail: [],
  headers: [],
  status: 200,
  responseHeaders: [],
  responseAt: 1,
  hash: plainHash,
}

test.each(['msg_1', undefined])('each request has its own answer and usage, if all have the id %s', (id) => {
  const { store, dbPath } = openTestStore()
  add(store, replayWire(relayedRun({ ...THREE, messageId: () => id })).drafts)
  reading(dbPath, (reader) => {
    const { items } = readerHandlers['requests.list'](reader, { session_id: SESSION, limit: 10 })
    const answers = items.map(({ uuid, usage }) => {
      const { blocks, usage: again } = readerHandlers['requests.get'](reader, { uuid })
      return [usage?.input_tokens, again?.input_tokens, ...blocks.map(({ text }) => text)]
    })
    expect(answers.toSorted()).toEqual([
      [1, 1, 'one'],
      [2, 2, 'two'],
      [3, 3, 'three'],
    ])
  })
  // The ledger of cache misses knows each of them.
  expect(readStore(dbPath, (db) => db.prepare('SELECT count(*) FROM cache_calls').pluck().get())).toBe(3)
})

test('so it is on the Responses API, behind a relay that names all responses alike', () => {
  const { store, dbPath } = openTestStore()
  const id = 'resp_0123456789abcdef0123'
  for (const n of [1, 2, 3]) {
    const sent = { exchange: `e${n}`, method: 'POST', path: '/v1/responses', headers: [], wall: n * 1e12, at: n }
    const decoder = createResponseDecoder(sent, { ...CONTEXT, sessionId: `codex-${n}` })
    const content = [{ type: 'output_text', text: `Answer ${n}` }]
    const output = [{ type: 'message', role: 'assistant', id: `msg_0123456789abcdef012${n}`, content }]
    decoder.push(Buffer.from(JSON.stringify({ id, output, usage: { input_tokens: n, output_tokens: 1 } })), n)
    for (const _ of ['once', 'after a crash']) add(store, decoder.end('complete', n + 1, null))
  }
  expect(recorded(dbPath)).toEqual({ api_usage: 3, assistant_text: 3, tool_call: 0, tool_result: 0, tokens: 6 })
  store.close()
})

test('an export has the usage of each answer, if all have one id', async () => {
  const { store, dbPath } = openTestStore()
  add(store, replayWire(relayedRun(THREE)).drafts)
  const lines: JsonObject[] = []
  await reading(dbPath, async (reader) => {
    const { items } = readerHandlers['events.export'](reader, { session_id: SESSION, limit: 500 })
    async function* exported() {
      yield* items
    }
    for await (const line of claudeLines(exported)) lines.push(JSON.parse(line) as JsonObject)
  })
  const usages = lines.flatMap(({ type, message }) =>
    type === 'assistant' ? [objectOf(objectOf(message)['usage'])] : [],
  )
  expect(usages.map(({ input_tokens: tokens }) => tokens)).toEqual([1, 2, 3])
})
