import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { ask } from '../../support/app/ask.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { until } from '../../support/runner/until.ts'

/** What people make of what was recorded: stars, names, memories, saved searches. */
let upstream: MessagesUpstream
let app: TestApp
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
