import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app/start-app.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')

let app: TestApp
beforeAll(async () => {
  app = await startApp({ upstream: 'http://127.0.0.1:9' })
  const paths = [join(FIXTURES, 'rollouts/recorded'), join(FIXTURES, 'transcripts/compaction')]
  await app.run('transcripts.import', { paths })
})
afterAll(() => app?.close())

const CLIENTS = ['claude-code', 'codex'] as const
interface OfClients {
  readonly by_client: readonly { readonly client: string; readonly sessions: number; readonly cost_usd: number }[]
}

test('each list limits itself to a client', async () => {
  for (const client of CLIENTS) {
    const { items } = await app.call<{ items: { client: string }[] }>('sessions.list', { client, limit: 100 })
    expect(new Set(items.map((item) => item.client))).toEqual(new Set([client]))
    const { items: calls } = await app.call<{ items: { session_id: string }[] }>('tools.list', { client })
    expect(calls.length > 0).toBe(client === 'codex')
    expect(calls.every(({ session_id: id }) => id.startsWith('codex-'))).toBe(true)
  }
})

test('a search finds both, or one of them', async () => {
  const clientsOf = async (query: string) => {
    const { items } = await app.call<{ items: { session_id: string }[] }>('recall.search', { query, limit: 100 })
    return [...new Set(items.map(({ session_id: id }) => (id.startsWith('codex-') ? 'codex' : 'claude-code')))].sort()
  }
  await expect.poll(() => clientsOf('door'), { timeout: 20_000 }).toEqual(CLIENTS)
  for (const client of CLIENTS) expect(await clientsOf(`door client:${client}`)).toEqual([client])
})

test('costs are summed up by client, for all time and in a range', async () => {
  const all = await app.call<OfClients>('costs.breakdown')
  expect(all.by_client.map(({ client }) => client).toSorted()).toEqual(CLIENTS)
  const inRange = await app.call<OfClients>('costs.breakdown', { since: '2026-11-01', until: '2030-01-01' })
  expect(inRange.by_client).toEqual(all.by_client.filter(({ client }) => client === 'codex'))
  const { by_client: summed } = await app.call<OfClients>('stats.summary')
  for (const { client, cost_usd: usd } of all.by_client)
    expect(summed.find((each) => each.client === client)?.cost_usd).toBeCloseTo(usd)
})
