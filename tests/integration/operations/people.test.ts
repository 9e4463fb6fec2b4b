import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { ask } from '../../support/app/ask.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { until } from '../../support/runner/until.ts'

/** Items that people add to the record: stars, names, memories, saved searches. */
let upstream: MessagesUpstream
let app: TestApp
/** The shape of a token. */
const SECRET = 'ghp_b1Cd2Ef3Gh4Jk5Lm6Np7Qr8St9Uv0Wx1Yz2A'
const PROMPTS = ['a theme for the night', 'theme theme theme, nothing but the theme', 'the invoice import'] as const

beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({
    steps: [{ text: 'Done.' }],
    usage: { input_tokens: 10, output_tokens: 10 },
  }))
  app = await startApp({ upstream: upstream.url })
  for (const [index, prompt] of PROMPTS.entries())
    for (let turn = 0; turn <= index; turn += 1)
      await (await ask(app.proxy, { prompt: turn === 0 ? prompt : `more of ${index}`, session: `s${index}` })).text()
  await until('all is recorded', async () => (await app.count({ kind: 'model_response' })) === 6)
})
afterAll(async () => {
  await app?.close()
  await upstream?.close()
})

const sessions = (input: object = {}) => app.call<OperationOutput<'sessions.list'>>('sessions.list', input)

test('a session is starred, pinned and renamed independently, and can restore its own name', async () => {
  await app.call('sessions.label', { session_id: 's1', starred: true })
  await app.call('sessions.label', { session_id: 's1', title: '  My theme  ' })
  const read = () => app.call<OperationOutput<'sessions.get'>>('sessions.get', { session_id: 's1' })
  expect(await read()).toMatchObject({ starred: true, pinned: false, title: 'My theme' })
  expect((await sessions({ starred: true })).items.map(({ id }) => id)).toEqual(['s1'])
  expect((await sessions({ query: 'my theme' })).items.map(({ id }) => id)).toEqual(['s1'])
  await app.call('sessions.label', { session_id: 's1', starred: false, pinned: true, title: null })
  expect(await read()).toMatchObject({ starred: false, pinned: true, title: PROMPTS[1] })
  await expect(app.call('sessions.label', { session_id: 'none', starred: true })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('a session is tagged, found by its tag, and keeps its tags over a rebuild; a deletion removes them', async () => {
  const label = (id: string, change: object) => app.call('sessions.label', { session_id: id, ...change })
  const read = async (id: string) =>
    (await app.call<OperationOutput<'sessions.get'>>('sessions.get', { session_id: id })).own_tags
  const tags = async () => (await app.call<OperationOutput<'sessions.tags'>>('sessions.tags')).items
  await label('s0', { add_tags: [' night ', 'Draft'] })
  await label('s2', { add_tags: ['night', 'night'], starred: true })
  expect(await read('s0')).toEqual(['Draft', 'night'])
  expect(await tags()).toEqual([
    { tag: 'Draft', sessions: 1 },
    { tag: 'night', sessions: 2 },
  ])
  expect((await sessions({ tag: 'night', sort: 'prompts' })).items.map(({ id, own_tags }) => [id, own_tags])).toEqual([
    ['s2', ['night']],
    ['s0', ['Draft', 'night']],
  ])
  expect((await sessions({ tag: 'nigh' })).items).toEqual([])
  await label('s0', { remove_tags: ['Draft', 'unknown'], title: 'Still tagged' })
  expect(await read('s0')).toEqual(['night'])
  await expect(label('s0', { add_tags: Array.from({ length: 50 }, (_, at) => `t${at}`) })).rejects.toMatchObject({
    code: 'bad_input',
    message: 'a session has at most 50 tags',
  })
  await expect(label('s0', { add_tags: ['  '] })).rejects.toMatchObject({ code: 'bad_input' })
  // A tag is text that somebody typed, like a title.
  await label('s1', { add_tags: [`key ${SECRET}`] })
  expect(JSON.stringify(await read('s1'))).not.toContain(SECRET)
  await app.run('store.rebuild', {})
  expect([await read('s0'), await read('s2')]).toEqual([['night'], ['night']])
  await label('s1', { remove_tags: await read('s1') })
  await app.call('sessions.delete_soon', { session_id: 's2' })
  expect(await tags()).toEqual([{ tag: 'night', sessions: 1 }])
  await app.call('sessions.undo_delete', { session_id: 's2' })
  expect(await tags()).toEqual([{ tag: 'night', sessions: 2 }])
  for (const id of ['s0', 's2']) await label(id, { remove_tags: ['night'], starred: false, title: null })
  expect(await tags()).toEqual([])
})

test('sessions are sorted by a column, page by page', async () => {
  const all = await sessions({ sort: 'prompts' })
  expect(all.items.map(({ id }) => id)).toEqual(['s2', 's1', 's0'])
  const first = await sessions({ sort: 'prompts', limit: 2 })
  const rest = await sessions({ sort: 'prompts', limit: 2, cursor: first.next })
  expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(['s2', 's1', 's0'])
})

test('a remembered event ranks first, marked as such, until it is forgotten', async () => {
  const find = () => app.call<OperationOutput<'recall.search'>>('recall.search', { query: 'theme', responses: false })
  const before = (await find()).items
  const last = before.at(-1)
  expect(before[0]?.uuid).not.toBe(last?.uuid)
  await app.call('memories.add', { uuid: last?.uuid, note: 'the one that counts' })
  const after = (await find()).items
  expect(after[0]).toMatchObject({ uuid: last?.uuid, remembered: true })
  expect(after).toHaveLength(before.length)
  expect(after.map(({ rank }) => rank)).toEqual(after.map(({ rank }) => rank).toSorted((a, b) => a - b))
  const memories = await app.call<OperationOutput<'memories.list'>>('memories.list')
  expect(memories.items).toMatchObject([{ uuid: last?.uuid, note: 'the one that counts', kind: 'user_prompt' }])
  expect(await app.call('memories.remove', { uuid: last?.uuid })).toEqual({ done: true })
  expect((await find()).items.map(({ uuid }) => uuid)).toEqual(before.map(({ uuid }) => uuid))
})

test('a remembered text without a word of the query ranks no better', async () => {
  const find = (query: string) => app.call<OperationOutput<'recall.search'>>('recall.search', { query })
  // Its neighbours have the word.
  const [own] = (await find('"more of 2"')).items
  const before = (await find('invoice import')).items.map(({ uuid }) => uuid)
  await app.call('memories.add', { uuid: own?.uuid })
  expect((await find('invoice import')).items.map(({ uuid }) => uuid)).toEqual(before)
  expect((await find('"more of 2"')).items[0]?.uuid).toBe(own?.uuid)
  await app.call('memories.remove', { uuid: own?.uuid })
})

test('a search is saved under a name, replaced under the same name, and removed; secrets in it are redacted', async () => {
  const secret = `sk-ant-api03-${'a1B2'.repeat(24)}`
  await app.call('searches.save', { name: 'Themes', address: '?q=theme' })
  await app.call('searches.save', { name: 'Themes', address: `?q=${secret}` })
  const saved = await app.call<OperationOutput<'searches.list'>>('searches.list')
  expect(saved.items).toHaveLength(1)
  expect(saved.items[0]?.address).not.toContain(secret)
  expect(await app.call('searches.remove', { id: saved.items[0]?.id })).toEqual({ done: true })
  expect((await app.call<OperationOutput<'searches.list'>>('searches.list')).items).toEqual([])
})
