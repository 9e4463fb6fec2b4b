import { expect, test } from 'vitest'
import { createTranscriptDecoder } from '../../../src/main/decode/client/claude-code/transcripts/transcript-decoder.ts'
import { failureIdentity } from '../../../src/main/decode/draft-base.ts'
import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import type { EventSource, Payloads } from '../../../src/shared/event.ts'
import { HASH_KEY, openTestStore } from '../../support/store/folder.ts'
import { contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'
import { draftOf } from '../../support/store/seeded-store.ts'

type Row = { readonly [column: string]: unknown }

const at = (second: number) =>
  `2026-11-21T10:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}.000Z`

/** Appends each list on its own; returns the tables, after checking that a rebuild gives the same rows. */
function tablesOf(...appends: readonly (readonly AnyDraft[])[]): Record<string, Row[]> {
  const { store, dbPath } = openTestStore()
  for (const drafts of appends) store.ingest.append(drafts)
  store.close()
  return withWriter(dbPath, (db) => {
    const followed = contentsOfProjections(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    const rebuilt = contentsOfProjections(db)
    for (const [table, rows] of Object.entries(followed)) expect(rebuilt[table], table).toEqual(rows)
    return followed as Record<string, Row[]>
  })
}

const prompt = draftOf('user_prompt', { text: 'Fix the tests' }, { at: at(0), source: 'wire', keys: ['p'] })

function result(
  call: string,
  second: number,
  outcome: { is_error: boolean; rejected?: boolean },
  source: EventSource = 'wire',
): AnyDraft {
  const { is_error, rejected = false } = outcome
  const payload = { call_id: call, tool_name: 'Bash', output: 'out', is_error, rejected }
  return draftOf('tool_result', payload, {
    at: at(second),
    source,
    success: !is_error,
    keys: [`result:${call}`],
    parents: ['p'],
    sighting: { output: 'out', is_error, rejected },
  })
}

const failure = (origin: Payloads['error']['origin'], second: number, status: number | null = null): AnyDraft =>
  draftOf(
    'error',
    { origin, type: null, message: `${origin} failed`, status },
    { at: at(second), source: 'wire', success: false, keys: [`error:${second}`], parents: ['p'] },
  )

const failedAs = (source: EventSource, second: number, identity: ReturnType<typeof failureIdentity>): AnyDraft => ({
  ...failure(source === 'wire' ? 'connection' : 'client', second),
  source,
  ...identity,
})

const countsIn = (rows: readonly Row[] | undefined) =>
  (rows ?? []).map(({ errors, api_errors, failed_tools }) => ({ errors, api_errors, failed_tools }))

test('failed requests and failed tools are counted apart; refused calls and errors of Aspy are neither', () => {
  const tables = tablesOf([
    prompt,
    failure('upstream', 1, 529),
    failure('stream', 2),
    failure('connection', 3),
    failure('client', 4, 429),
    failure('capture', 5),
    result('c1', 6, { is_error: true }),
    result('c2', 7, { is_error: false }),
    result('c3', 8, { is_error: true, rejected: true }),
  ])
  const counts = { errors: 5, api_errors: 4, failed_tools: 1 }
  expect(countsIn(tables['sessions'])).toEqual([counts])
  expect(countsIn(tables['turns'])).toEqual([counts])
  expect(countsIn(tables['rollups'])).toEqual([counts])
})

test.each([
  ['the wire first', ['wire', 'transcript'], [1, 1]],
  ['the transcript first', ['transcript', 'wire'], [1, 1]],
  ['a source that names each of two', ['wire', 'wire', 'transcript', 'transcript'], [2, 2]],
] as const)('a failure joins the line about it that leaves its id out: %s', (_, sources, counts) => {
  const wire = (n: number) => failedAs('wire', n, failureIdentity(`req_${n}`, [`exchange:${n}:error`]))
  const line = (n: number) => failedAs('transcript', n, failureIdentity(null, [naturalKey.line(`line-${n}`)]))
  const seen = { wire: 0, transcript: 0 }
  const drafts = sources.map((source) => (source === 'wire' ? wire : line)((seen[source] += 1)))
  const tables = tablesOf([prompt], ...drafts.map((draft) => [draft]))
  expect(countsIn(tables['sessions'])).toEqual([{ errors: counts[0], api_errors: counts[1], failed_tools: 0 }])
})

test('failures that the API names apart stay apart, however close in time', () => {
  const named = (source: EventSource, id: string, second: number) =>
    failedAs(source, second, failureIdentity(id, [source === 'wire' ? `exchange:${id}:error` : `line:${id}`]))
  const tables = tablesOf([prompt], [named('wire', 'req_1', 1)], [named('transcript', 'req_2', 2)])
  expect(countsIn(tables['sessions'])).toEqual([{ errors: 2, api_errors: 2, failed_tools: 0 }])
})

test('a later source settles the outcome of a call, in either direction', () => {
  const failedFirst = tablesOf(
    [prompt, result('c', 1, { is_error: true }, 'hook')],
    [result('c', 2, { is_error: false })],
  )
  expect(countsIn(failedFirst['sessions'])).toEqual([{ errors: 0, api_errors: 0, failed_tools: 0 }])
  expect(countsIn(failedFirst['turns'])).toEqual([{ errors: 0, api_errors: 0, failed_tools: 0 }])
  const refused = tablesOf(
    [prompt, result('c', 1, { is_error: true }, 'hook')],
    [result('c', 2, { is_error: true, rejected: true })],
  )
  expect(countsIn(refused['sessions'])).toEqual([{ errors: 0, api_errors: 0, failed_tools: 0 }])
  const okFirst = tablesOf([prompt, result('c', 1, { is_error: false }, 'hook')], [result('c', 2, { is_error: true })])
  for (const table of ['sessions', 'turns', 'rollups'])
    expect(countsIn(okFirst[table]?.filter(({ model }) => (model ?? '') === '')), table).toEqual([
      { errors: 0, api_errors: 0, failed_tools: 1 },
    ])
})

test('deleting a session takes its failures out of the totals', () => {
  const { store, dbPath } = openTestStore()
  const other = (draft: AnyDraft): AnyDraft => ({
    ...draft,
    session_id: 's2',
    keys: draft.keys.map((key) => `2${key}`),
  })
  const drafts = [prompt, failure('upstream', 1, 529), result('c1', 2, { is_error: true })]
  store.ingest.append([...drafts, ...drafts.map(other)])
  store.removal.deleteSession('s2')
  store.close()
  withWriter(dbPath, (db) =>
    expect(countsIn(db.prepare('SELECT * FROM rollups').all() as Row[])).toEqual([
      { errors: 1, api_errors: 1, failed_tools: 1 },
    ]),
  )
})

const request = (userAgent: string, second: number): AnyDraft =>
  draftOf(
    'model_request',
    {
      exchange_id: `x${second}`,
      request_kind: 'prompt',
      method: 'POST',
      path: '/v1/messages',
      model: 'claude-sonnet-5-5',
      headers: [['user-agent', userAgent]],
      request: null,
      message_count: 1,
      body_bytes: 10,
    },
    { at: at(second), source: 'wire', keys: [`exchange:x${second}`] },
  )

function fromTranscript(...lines: readonly object[]): readonly AnyDraft[] {
  const decoder = createTranscriptDecoder()
  const told = lines.flatMap((line, at_) =>
    decoder.line(
      JSON.stringify({
        type: 'user',
        sessionId: 's1',
        uuid: `u${at_}`,
        timestamp: at(at_),
        message: { role: 'user', content: `words ${at_}` },
        ...line,
      }),
    ),
  )
  return [...told, ...decoder.end()]
}

const clientsIn = (tables: Record<string, Row[]>) =>
  tables['sessions']?.map(({ id, client, client_version: version }) => [id, client, version])

test('the user agent of the wire names the client, the newest version wins, in any order', () => {
  const older = request('claude-cli/2.1.9 (external, cli)', 1)
  const newer = request('claude-cli/2.1.330 (external, cli)', 2)
  expect(clientsIn(tablesOf([prompt, older, newer]))).toEqual([['s1', 'claude-code', '2.1.330']])
  expect(clientsIn(tablesOf([newer, prompt, older]))).toEqual([['s1', 'claude-code', '2.1.330']])
  expect(clientsIn(tablesOf([request('Anthropic/JS 0.68.0', 1)]))).toEqual([['s1', 'anthropic-sdk', '0.68.0']])
  expect(clientsIn(tablesOf([request('curl/8.5.0', 1)]))).toEqual([['s1', 'unknown', null]])
})

test("a transcript's lines name their version and entry point, each version once", () => {
  const drafts = fromTranscript({ version: '2.1.9' }, { version: '2.1.9' }, { version: '2.1.12' })
  expect(drafts.map(({ sighting }) => sighting?.['client_version'])).toEqual(['2.1.9', undefined, '2.1.12'])
  expect(clientsIn(tablesOf(drafts))).toEqual([['s1', 'claude-code', '2.1.12']])
  const sdk = fromTranscript({ version: '2.1.40', entrypoint: 'sdk-ts' })
  expect(clientsIn(tablesOf(sdk))).toEqual([['s1', 'agent-sdk', '2.1.40']])
  expect(clientsIn(tablesOf(sdk, [request('claude-cli/2.1.40 (external, sdk-ts, agent-sdk/0.1.7)', 0)]))).toEqual([
    ['s1', 'agent-sdk', '0.1.7'],
  ])
})

test('lines without a version still come from a known client; importing them again adds nothing', () => {
  expect(clientsIn(tablesOf(fromTranscript({})))).toEqual([['s1', 'claude-code', null]])
  const lines = fromTranscript({ version: '2.1.9' }, { version: '2.1.9' })
  const once = tablesOf(lines)
  const { store, dbPath } = openTestStore()
  store.ingest.append(lines)
  expect(store.ingest.append(lines)).toMatchObject({ added: [] })
  store.close()
  withWriter(dbPath, (db) => {
    expect(db.prepare('SELECT count(*) FROM sighting_rows').pluck().get()).toBe(1)
    expect(contentsOfProjections(db)['sessions']).toEqual(once['sessions'])
  })
})
