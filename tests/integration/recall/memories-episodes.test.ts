import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { readableSecretsIn } from '../../support/store/byte-scan.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

// Memories are facts that people saved; episodes are summaries of session parts, written when the app is idle.
const FACT = 'quokkafactword7777'
const SUMMARY = 'zebusummaryword777'

let upstream: MessagesUpstream
let folder: TempFolder
let app: TestApp
beforeAll(async () => {
  folder = makeTempFolder()
  const at = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`
  const session = (session_id: string, more: number) => ({ session_id, project: `/work/${session_id}`, at: at(more) })
  fillStore(folder.path, [
    draftOf(
      'user_prompt',
      { text: 'paint the shed\nin green', git_branch: 'shed' },
      { ...session('one', 0), uuid: 'p1' },
    ),
    draftOf(
      'assistant_text',
      { text: 'The shed is green now.', message_id: 'm1', index: 0 },
      { ...session('one', 1), uuid: 'a1' },
    ),
    draftOf(
      'tool_call',
      { call_id: 'c1', tool_name: 'Brush', input: {}, message_id: 'm1', index: 1 },
      session('one', 2),
    ),
    draftOf(
      'compaction',
      { trigger: 'auto', summary: `They spoke of ${SUMMARY}.`, tokens_before: 10, tokens_after: 2 },
      { ...session('one', 3), uuid: 'k1' },
    ),
    draftOf('user_prompt', { text: 'and the fence?' }, { ...session('one', 4), uuid: 'p2' }),
    draftOf('session_ended', { reason: 'exit' }, { ...session('one', 5), uuid: 'e1' }),
    draftOf('user_prompt', { text: 'paint nothing at all' }, { ...session('two', 6), uuid: 'p3' }),
  ])
  upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer' }] }))
  app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await app.recorderRuns()
})
afterAll(async () => {
  await app.close()
  await upstream.close()
  folder.remove()
})

const memories = async (input: object = {}) =>
  (await app.call<OperationOutput<'memories.list'>>('memories.list', input)).items
const episodes = async (input: object = {}) =>
  (await app.call<OperationOutput<'episodes.list'>>('episodes.list', input)).items
const rebuild = () => app.run('store.rebuild')

test('memories obey project, time and the filters of a query', async () => {
  await app.call('memories.add', { uuid: 'p3', fact: 'wombatpaint dries slowly' })
  const found = async (input: object) => {
    const { items } = await app.call<OperationOutput<'recall.search'>>('recall.search', { ...input })
    return items.filter(({ match_type }) => match_type === 'memory').map(({ uuid }) => uuid)
  }
  const query = 'wombatpaint'
  expect(await found({ query })).toEqual(['p3'])
  expect(await found({ query, project: '/work/two', since: '2026-11-20', until: '2026-11-21' })).toEqual(['p3'])
  expect(await found({ query, project: '/work/one' })).toEqual([])
  expect(await found({ query, until: '2026-11-19' })).toEqual([])
  expect(await found({ query, since: '2026-11-21' })).toEqual([])
  expect(await found({ query: `${query} kind:thinking` })).toEqual([])
  expect(await found({ query: `${query} kind:memory` })).toEqual(['p3'])
  expect((await memories({ project: '/work/one' })).map(({ uuid }) => uuid)).not.toContain('p3')
  expect((await memories({ project: '/work/two' })).map(({ uuid }) => uuid)).toContain('p3')
  // As in a search, a folder's name is enough.
  expect((await memories({ project: 'two' })).map(({ uuid, project }) => [uuid, project])).toEqual([
    ['p3', '/work/two'],
  ])
  await app.call('memories.remove', { uuid: 'p3' })
})

test('a compaction and the end of a session each create an episode, searchable by words and tags and restored by a rebuild', async () => {
  await until('they are written', async () => (await episodes()).length === 3, 100_000)
  const all = await episodes()
  expect(all).toMatchObject([
    { session_id: 'two', closed_by: 'end', content: expect.stringContaining('- paint nothing at all') },
    {
      session_id: 'one',
      closed_by: 'end',
      content: expect.stringMatching(
        /Asked:\n- paint the shed\n- and the fence\?\nAnswered last:\nThe shed is green now\./,
      ),
      tags: ['one', 'shed', 'Brush'],
    },
    { session_id: 'one', closed_by: 'compaction', uuid: 'k1', content: `They spoke of ${SUMMARY}.` },
  ])
  expect(await episodes({ query: SUMMARY })).toMatchObject([{ uuid: 'k1' }])
  expect((await episodes({ query: 'brush' })).map(({ session_id }) => session_id)).toEqual(['one', 'one'])
  expect(await episodes({ query: 'paint', project: '/work/two' })).toHaveLength(1)
  expect(await episodes({ session_id: 'one', limit: 1 })).toMatchObject([{ closed_by: 'end' }])
  // No single text has both words, but the session does.
  const search = (query: string, more: object = {}) =>
    app.call<OperationOutput<'recall.search'>>('recall.search', { query, ...more })
  const whole = (await search('paint fence')).items.filter(({ match_type }) => match_type === 'episode')
  expect(whole).toMatchObject([{ session_id: 'one', turn_id: expect.any(Number), matched: ['paint', 'fence'] }])
  expect(whole[0]?.content).toContain('<mark>paint</mark> the shed')
  const types = async (query: string, more: object = {}) =>
    (await search(query, more)).items.map(({ match_type }) => match_type)
  expect(await types('paint fence NOT shed')).not.toContain('episode')
  expect(await types('paint fence', { project: '/work/two' })).not.toContain('episode')
  for (const more of ['NOT project:/work/one', '-kind:prompt', '-session:one'])
    expect(await types(`paint fence ${more}`), more).not.toContain('episode')
  expect(await types('paint fence', { of_client: 'codex' })).not.toContain('episode')
  expect(await types('paint fence', { responses: false })).not.toContain('episode')
  expect(await types('paint kind:episode')).toEqual(['episode', 'episode'])
  expect(await types('paint kind:episode project:two')).toEqual(['episode'])
  expect(await types('kind:episode')).toEqual(['episode', 'episode'])
  expect(await types('kind:episode,prompt fence')).toEqual(['user_prompt', 'episode'])
  expect(await types('kind:episode "is green"')).toEqual(['episode'])
  expect(await types('kind:episode "is greening"')).toEqual([])
  expect(await types('kind:episode NOT shed')).toEqual(['episode'])
  // Only its tags have the word, which no list shows.
  expect(await types('kind:episode brush')).toEqual([])
  await rebuild()
  expect(await episodes()).toEqual(all)

  // Turns and tool calls make a part important, what was remembered of it more so.
  const importance = async () =>
    Object.fromEntries((await episodes()).map((each) => [`${each.session_id} ${each.closed_by}`, each.importance]))
  const plain = await importance()
  expect(plain['one end']).toBeGreaterThan(plain['two end'] ?? 1)
  await app.call('memories.add', { uuid: 'p3' })
  const marked = await importance()
  expect(marked['two end']).toBeGreaterThan(marked['one end'] ?? 1)
  expect(marked['one end']).toBe(plain['one end'])
  expect(Math.max(...Object.values(marked))).toBeLessThanOrEqual(1)
  await app.call('memories.remove', { uuid: 'p3' })
})

test('a fact is saved in the person’s words, confirmed by further events, searchable and unchanged by a rebuild', async () => {
  await app.call('memories.add', { uuid: 'a1', fact: `The shed stays ${FACT}`, category: 'decision', confidence: 0.8 })
  await app.call('memories.add', { uuid: 'p3', confirms: 'a1' })
  await app.call('memories.add', { uuid: 'p3', confirms: 'a1' })
  const [memory] = await memories({ query: FACT })
  expect(memory).toMatchObject({
    uuid: 'a1',
    fact: `The shed stays ${FACT}`,
    category: 'decision',
    confidence: 0.8,
    source: 'person',
    evidence_count: 2,
    content: 'The shed is green now.',
  })
  expect((memory?.last_confirmed_at ?? '') >= (memory?.first_confirmed_at ?? 'never')).toBe(true)
  await app.call('memories.add', { uuid: 'a1', confidence: 1 })
  expect(await memories({ category: 'decision' })).toMatchObject([
    { confidence: 1, fact: `The shed stays ${FACT}`, first_confirmed_at: memory?.first_confirmed_at },
  ])
  expect(await memories({ query: 'nothing' })).toEqual([])
  const { evidence, ...same } = await app.call<OperationOutput<'memories.get'>>('memories.get', { uuid: 'a1' })
  expect(same).toEqual({ ...memory, ...same })
  expect(evidence.map(({ uuid, turn_id, project, content }) => [uuid, turn_id, project, content])).toEqual([
    ['a1', 1, '/work/one', 'The shed is green now.'],
    ['p3', 1, '/work/two', 'paint nothing at all'],
  ])
  await expect(app.call('memories.get', { uuid: 'p1' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(app.call('memories.add', { uuid: 'p1', confirms: 'p2' })).rejects.toMatchObject({ code: 'not_found' })
  // In recall it is a separate hit, above texts with the same words.
  const { items } = await app.call<OperationOutput<'recall.search'>>('recall.search', { query: 'shed' })
  expect(items[0]).toMatchObject({ match_type: 'memory', uuid: 'a1', remembered: true, matched: ['shed'] })
  expect(items[0]?.content).toContain(FACT)
  expect(items.slice(1).map(({ uuid }) => uuid)).toContain('p1')
  expect(items.slice(1).map(({ uuid }) => uuid)).not.toContain('a1')
  const quoted = async (query: string) =>
    (await app.call<OperationOutput<'recall.search'>>('recall.search', { query })).items.map(
      ({ match_type }) => match_type,
    )
  expect(await quoted('"shed stays"')).toEqual(['memory'])
  expect(await quoted('"sheds stay"')).toEqual([])
  expect(await quoted('"shed is" green')).toContain('assistant_response')
  expect(await quoted('kind:memory "shed stayed" OR nonesuch')).toEqual([])
  expect(await quoted('kind:memory NOT shed')).toEqual([])
  expect(await quoted('kind:memory NOT fence')).toEqual(['memory'])
  // Of its category, which no hit shows.
  expect(await quoted('decision kind:memory')).toEqual([])
  const context = await app.call<{ text: string }>('recall.context', { query: FACT })
  expect(context.text).toContain('[memory ')
  const told = (input: object) => app.call<OperationOutput<'memories.context'>>('memories.context', input)
  const { text, included } = await told({ project: 'one', since: '2026-11-20' })
  expect([included, text]).toEqual([1, expect.stringContaining(`> The shed stays ${FACT}`)])
  expect(text).toMatch(/\[decision, confidence 1, by person, events: 2, \S+\]/)
  expect((await told({ project: 'two' })).text).toContain('Nothing is remembered here. Try project "all".')
  for (const other of [{ since: '2026-11-21' }, { category: 'fact' }, { query: 'nothing' }])
    expect((await told(other)).text, JSON.stringify(other)).toContain('Nothing that is remembered matches.')
  const elsewhere = await app.call<{ items: unknown[] }>('recall.search', { query: FACT, project: '/work/two' })
  expect(elsewhere.items).toEqual([])
  const kept = await memories()
  await rebuild()
  expect(await memories()).toEqual(kept)
})

test('deleting a session deletes its memories, its confirmations and its episodes', async () => {
  await app.call('sessions.delete', { session_id: 'two' })
  expect(await memories()).toMatchObject([{ uuid: 'a1', evidence_count: 1 }])
  expect((await episodes()).map(({ session_id }) => session_id)).toEqual(['one', 'one'])
  await app.call('sessions.delete', { session_id: 'one' })
  expect([await memories(), await episodes()]).toEqual([[], []])
  expect(readableSecretsIn(folder.path, [FACT, SUMMARY])).toEqual([])
})
