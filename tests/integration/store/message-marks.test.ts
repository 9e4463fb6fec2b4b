import { expect, test } from 'vitest'
import { createTranscriptDecoder } from '../../../src/main/decode/client/claude-code/transcripts/transcript-decoder.ts'
import { decodedRequest } from '../../../src/main/decode/fixtures/requests.ts'
import { plainHash } from '../../../src/main/decode/fixtures/replay.ts'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import type { Json, JsonObject } from '../../../src/shared/event.ts'
import { factsOf } from '../../support/store/facts.ts'
import { openTestStore } from '../../support/store/folder.ts'
import { withWriter } from '../../support/store/projection-rows.ts'

const START = 1_790_000_000_000
const at = (second: number) => new Date(START + second * 1000).toISOString()
const text = (words: string) => ({ type: 'text', text: words })
const user = (...content: readonly JsonObject[]) => ({ role: 'user', content })
const assistant = (...content: readonly JsonObject[]) => ({ role: 'assistant', content })

/** The drafts of a request whose first messages were known, at a second. */
function request(n: number, messages: readonly JsonObject[], known: number, second: number): readonly AnyDraft[] {
  const body = { model: 'm', messages, system: [text('You are Claude Code')], tools: [{ name: 'Bash' }] }
  const { drafts } = decodedRequest({ body: body as unknown as JsonObject, known })
  const mine = (key: string) => key.replace('exchange:e1', `exchange:x${n}`)
  return drafts.map((draft) => {
    const { uuid: _, ...rest } = draft
    return { ...rest, ts_wall: at(second), keys: draft.keys.map(mine), parents: draft.parents.map(mine) } as AnyDraft
  })
}

function transcript(...lines: readonly (readonly [number, Json])[]): readonly AnyDraft[] {
  const decoder = createTranscriptDecoder({ hash: plainHash })
  const told = lines.flatMap(([second, content]) =>
    decoder.line(
      JSON.stringify({
        type: 'user',
        uuid: `00000000-0000-4000-8000-0000000000${String(second).padStart(2, '0')}`,
        sessionId: 's1',
        timestamp: at(second),
        message: { role: 'user', content },
      }),
    ),
  )
  return [...told, ...decoder.end()]
}

/** The marks in the log and how many sources report each. */
function marksIn(...appends: readonly (readonly AnyDraft[])[]): readonly unknown[] {
  const { store, dbPath } = openTestStore()
  for (const drafts of appends) store.ingest.append(drafts)
  store.close()
  return withWriter(dbPath, (db) =>
    db
      .prepare(
        `SELECT e.kind, coalesce(e.payload ->> 'to', e.payload ->> 'text') AS says,
           (SELECT count(DISTINCT source) FROM sightings s WHERE s.uuid = e.uuid) AS sources
         FROM events e WHERE kind IN ('state_change', 'notification') ORDER BY e.id`,
      )
      .all(),
  )
}

const first = [user(text('Paint the door'))]
const second = [
  ...first,
  assistant(text('I paint')),
  user(text('[Request interrupted by user]'), text('Paint the till')),
]
const third = [
  ...second,
  assistant(text('I paint that')),
  user(
    text('[Request interrupted by user]'),
    text('<bash-input>ls</bash-input>'),
    text('<bash-stdout>door till</bash-stdout><bash-stderr></bash-stderr>'),
    text('Go on'),
  ),
]
const wire = [request(1, first, 0, 1), request(2, second, 1, 5), request(3, third, 3, 50)]
const told = transcript(
  [1, 'Paint the door'],
  [3, [text('[Request interrupted by user]')]],
  [5, 'Paint the till'],
  [7, [text('[Request interrupted by user]')]],
  [40, '<bash-input>ls</bash-input>'],
  [41, '<bash-stdout>door till</bash-stdout><bash-stderr></bash-stderr>'],
  [50, 'Go on'],
)
const marks = (sources: number) => [
  { kind: 'state_change', says: 'answer', sources },
  { kind: 'state_change', says: 'answer', sources },
  { kind: 'notification', says: 'door till', sources },
]

test('interruptions and the output of commands are events, from the wire and from transcripts', () => {
  expect(marksIn(...wire)).toEqual(marks(1))
  expect(marksIn(told)).toEqual(marks(1))
})

test('both sources report the same ones, whichever comes first', () => {
  expect(marksIn(...wire, told)).toEqual(marks(2))
  expect(marksIn(told, ...wire)).toEqual(marks(2))
})

test('an interruption that a rewind shows again is known, and one that comes later is its own', () => {
  const call = assistant({ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} })
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'refused', is_error: true }
  const stopped = text('[Request interrupted by user for tool use]')
  const told = [...second, assistant(text('Painted.')), user(text('Now the roof')), call]
  const branch = (...words: readonly string[]) => [...told, user(result, stopped, ...words.map(text))]
  const other = [...first, assistant(text('I paint')), user(text('[Request interrupted by user]'), text('The gate'))]
  const answered = [...branch('Leave it'), assistant(text('Left.'))]
  const requests = [
    ...wire.slice(0, 2),
    request(4, branch('Leave it'), 3, 10),
    request(5, branch('Take a brush'), 0, 15),
    request(7, other, 0, 25),
    request(8, [...answered, user(text('[Request interrupted by user]'), text('On'))], 0, 30),
  ]
  expect(marksIn(...requests).map((mark) => (mark as { says: string }).says)).toEqual(['answer', 'tool use', 'answer'])
})

test('a prompt that was stored without how it was entered has it once its line is read again', () => {
  const lines = transcript([1, '<command-message>review</command-message><command-name>/review</command-name>'])
  const unmarked = lines.map((draft) => {
    if (draft.kind !== 'user_prompt') return draft
    const { entered_as: _, ...payload } = draft.payload
    return { ...draft, payload, sighting: {} }
  })
  const { store, dbPath } = openTestStore()
  for (const drafts of [unmarked, lines]) store.ingest.append(drafts)
  store.close()
  const prompts = [...factsOf(dbPath).values()].filter(({ kind }) => kind === 'user_prompt')
  expect(prompts.map(({ payload }) => [payload['text'], payload['entered_as']])).toEqual([['/review', 'command']])
})

test('a text that the client put into the model’s place is nobody’s answer, also in a request’s history', () => {
  const history = [...first, assistant(text('No response requested.')), user(text('Go on'))]
  const kinds = request(1, history, 0, 1).map(({ kind }) => kind)
  expect(kinds).not.toContain('assistant_text')
  const spoken = [...first, assistant(text('No response requested. But I paint.')), user(text('Go on'))]
  expect(request(1, spoken, 0, 1).map(({ kind }) => kind)).toContain('assistant_text')
})

test('a server tool’s result in a request’s history has the name of its tool, and so has one apart from its call', () => {
  const asked = assistant(
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
    { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'look', server_name: 'shop', input: {} },
    { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', content: [text('a door')] },
  )
  const drafts = request(1, [...first, asked, user(text('Go on'))], 0, 1)
  const named = drafts.flatMap((draft) => (draft.kind === 'tool_result' ? [draft.payload.tool_name] : []))
  expect(named).toEqual(['web_search', 'look'])

  const calls = request(
    1,
    [...first, assistant({ type: 'mcp_tool_use', id: 'mcptoolu_2', name: 'count', input: {} })],
    0,
    1,
  )
  const apart = request(2, [user({ type: 'tool_result', tool_use_id: 'mcptoolu_2', content: 'three' })], 0, 5)
  const { store, dbPath } = openTestStore()
  for (const one of [calls, apart]) store.ingest.append(one)
  store.close()
  expect(
    withWriter(dbPath, (db) =>
      db.prepare("SELECT payload ->> 'tool_name' FROM events WHERE kind = 'tool_result'").pluck().all(),
    ),
  ).toEqual(['count'])
})
