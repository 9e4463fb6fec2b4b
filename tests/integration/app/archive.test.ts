import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { heavily } from '../../support/runner/heavy.ts'
import { readableSecretsIn } from '../../support/store/byte-scan.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { fillStore } from '../../support/store/seeded-store.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { promptFact, resultFact, seeded, sessionFacts } from '../../support/store/history.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'

// It waits for the app to have nothing else to do.
const WORD = 'wallabyoutputword7'
const PROMPT = 'numbatpromptword77'
const DAY = 86_400_000

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer' }] }))
})
afterAll(() => upstream.close())

/** Two sessions of a hundred days ago. */
function fillOld(dataDir: string): void {
  const ago = Date.now() - 100 * DAY - Date.parse('2026-11-20T10:00:00.000Z')
  const facts = [
    ...sessionFacts('old', 10, seeded(1), ago),
    promptFact('old', 'p-old', `show ${PROMPT}`, ago + DAY),
    resultFact('old', 'c-old', `it says ${WORD}`, ago + DAY + 1000),
    ...sessionFacts('other', 10, seeded(2), ago + DAY),
  ]
  fillStore(
    dataDir,
    facts.flatMap((fact) => fact.reports),
  )
}

/** Views that a person looks at: totals, a session, a chain, recall. */
async function views(app: TestApp) {
  const { items } = await app.call<{ items: { uuid: string }[] }>('events.list', {
    session_id: 'old',
    kind: 'tool_result',
    limit: 1000,
  })
  const last = items.at(-1)?.uuid
  return {
    summary: await app.call('stats.summary'),
    analytics: await app.call('stats.analytics'),
    session: await app.call('sessions.get', { session_id: 'old' }),
    history: await app.call('sessions.history', { session_id: 'old', limit: 100 }),
    chain: await app.call('events.chain', { uuid: last }),
    event: await app.call('events.get', { uuid: last }),
    recall: await hits(app, PROMPT),
    words: await hits(app, 'solarized parser'),
  }
}

/** The best in their order; the rank itself counts how old a hit is by now, and episodes are written when idle. */
const hits = async (app: TestApp, query: string) =>
  (await app.call<{ items: Record<string, unknown>[] }>('recall.search', { query, limit: 30 })).items
    .filter(({ match_type }) => match_type !== 'episode')
    .slice(0, 10)
    .map((hit) => ({ ...hit, rank: null }))

heavily(test)(
  'the idle app archives old payloads; totals, chains, recall and opened events are unchanged',
  async () => {
    using folder = makeTempFolder()
    fillOld(folder.path)
    const before = await startApp({
      upstream: upstream.url,
      dataDir: folder.path,
      settings: { 'lifestats.retention_days': 0 },
    })
    const [seen, idle] = await (async () => {
      try {
        return [await views(before), await before.running.health()] as const
      } finally {
        await before.close()
      }
    })()
    expect(idle.archive).toBeNull()
    const app = await startApp({ upstream: upstream.url, dataDir: folder.path })
    try {
      await until('a run is noted', async () => (await app.running.health()).archive !== null, 60_000)
      const { archive } = await app.running.health()
      expect(archive).toMatchObject({ archives_removed: 0, sessions_forgotten: 0 })
      expect(archive?.events_moved).toBeGreaterThan(20)
      expect(archive?.bytes).toBeGreaterThan(500)
      expect(await views(app)).toEqual(seen)
      // What was searched for in tool traffic is found where it lies now, when asked.
      const tools = await app.call<{ items: unknown[] }>('recall.search', { query: WORD, tools: true, prompts: false })
      expect(tools.items).toEqual([])
      expect(await app.call('store.search_archives', { query: WORD })).toMatchObject({
        items: [{ session_id: 'old', kind: 'tool_result', content: expect.stringContaining(WORD) }],
      })

      await app.call('sessions.delete', { session_id: 'old' })
      expect(readableSecretsIn(folder.path, [WORD, PROMPT])).toEqual([])
      expect(readdirSync(join(folder.path, 'archive'))).toHaveLength(1)
      expect(await app.call('sessions.get', { session_id: 'other' })).toMatchObject({ id: 'other' })
    } finally {
      await app.close()
    }
    expect(readableSecretsIn(folder.path, [WORD, PROMPT])).toEqual([])
  },
)

test('sessions deleted by age leave no text and are not imported again; pinned sessions are kept', async () => {
  using folder = makeTempFolder()
  using outside = makeTempFolder()
  fillOld(folder.path)
  const app = await startApp({
    upstream: upstream.url,
    dataDir: folder.path,
    settings: { 'lifestats.retention_days': 10, 'lifestats.delete_days': 30 },
  })
  try {
    await app.recorderRuns()
    await app.call('sessions.label', { session_id: 'other', pinned: true })
    const [old, pinned] = await Promise.all([events(app, 'old'), events(app, 'other')])
    expect(old.length).toBeGreaterThan(50)
    const page = await app.call<{ items: unknown[] }>('events.export', { session_id: 'old', limit: 1000 })
    const elsewhere = join(outside.path, 'old.jsonl')
    writeFileSync(elsewhere, page.items.map((item) => `${JSON.stringify(item)}\n`).join(''))
    await app.run('store.archive')
    expect(readableSecretsIn(folder.path, [WORD, PROMPT])).toEqual([])
    expect((await app.run('store.import', { path: elsewhere })).at(-1)).toMatchObject({ events_added: 0, lines_bad: 0 })
    expect(readableSecretsIn(folder.path, [WORD, PROMPT])).toEqual([])
    expect(await events(app, 'old')).toEqual([])
    expect(await events(app, 'other')).toEqual(pinned)
    expect((await app.running.health()).warnings.map(({ code }) => code)).toEqual(idleWarnings)
  } finally {
    await app.close()
  }
})

/** Models without a price, as the made-up sessions have one. */
const idleWarnings = ['unpriced_models']

const events = async (app: TestApp, session_id: string) =>
  (await app.call<{ items: unknown[] }>('events.list', { session_id, limit: 1000 })).items
