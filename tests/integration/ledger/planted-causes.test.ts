import { assert, expect, test } from 'vitest'
import { cacheList, cacheSummary } from '../../../src/main/operations/reader/cache.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { HASH_KEY } from '../../support/store/folder.ts'
import { runs } from '../../support/runner/heavy.ts'
import { seeded } from '../../support/store/history.ts'
import { contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'
import { reading } from '../../support/store/reading.ts'
import { bill, hadItRead, type SimulatedUsage } from '../../support/upstream/cache-simulator.ts'
import { continueConversation, newConversation, PLANTS } from '../../support/upstream/planted-misses.ts'
import { RATES, simulatedSessions } from '../../support/upstream/simulated-sessions.ts'

const CASES = runs(32, 500)

test('planted causes are found, and the waste is what the bill would have been lower', async () => {
  const { store, dbPath, simulator, ask } = simulatedSessions()
  const plants = Object.entries(PLANTS)
  const planted = new Map<string, string>()
  let expected = 0
  for (let at = 0; at < CASES; at += 1) {
    const [name, { kind, begin, plant }] = plants[at % plants.length] ?? assert.fail('no plants')
    const random = seeded(at + 1)
    const session = `${at} ${name}`
    const conversation = newConversation(random)
    begin?.(conversation)
    await ask(session, conversation)
    let before: SimulatedUsage = { input: 0, read: 0, written5m: 0, written1h: 0 }
    for (let turn = 0; turn <= random() * 3; turn += 1) {
      continueConversation(conversation, random)
      before = await ask(session, conversation)
    }
    continueConversation(conversation, random)
    const { evict, waitMs } = plant(conversation, random) ?? {}
    if (evict) simulator.evict()
    simulator.now += waitMs ?? 0
    const usage = await ask(session, conversation)
    const prompt = usage.input + usage.read + usage.written5m + usage.written1h
    const could = Math.min(before.read + before.written5m + before.written1h, prompt)
    expected += bill(usage, RATES) - bill(hadItRead(usage, Math.max(0, could - usage.read)), RATES)
    planted.set(session, kind)
  }
  const { wrong, waste, summary } = reading(dbPath, (reader) => {
    const found = new Map<string, string>()
    let waste = 0
    let next: string | undefined
    do {
      const page = cacheList(reader, { limit: 500, cursor: next })
      for (const item of page.items) {
        if (item.cause.kind === 'first_request') continue
        found.set(item.session_id, item.cause.kind)
        waste += item.waste_usd ?? Number.NaN
      }
      next = page.next ?? undefined
    } while (next !== undefined)
    const wrong = [...planted].flatMap(([session, kind]) =>
      found.get(session) === kind ? [] : [`${session}: ${found.get(session) ?? 'nothing'}`],
    )
    return { wrong, waste, summary: cacheSummary(reader, {}) }
  })
  expect(wrong.slice(0, 20)).toEqual([])
  expect(wrong.length).toBeLessThanOrEqual(CASES * 0.05)
  expect(Math.abs(waste - expected)).toBeLessThan(1e-9)
  expect(Math.abs(summary.waste_usd - expected)).toBeLessThan(1e-9)
  store.close()
  withWriter(dbPath, (db) => {
    const followed = contentsOfProjections(db)['cache_calls']
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    expect(contentsOfProjections(db)['cache_calls']).toEqual(followed)
  })
}, 300_000)

test('steady conversations waste nothing', async () => {
  const { dbPath, ask } = simulatedSessions()
  for (let at = 0; at < CASES; at += 1) {
    const random = seeded(at + 1001)
    const conversation = newConversation(random)
    for (let turn = 0; turn < 3; turn += 1) {
      await ask(`steady ${at}`, conversation)
      continueConversation(conversation, random, 1 + Math.floor(random() * 15))
    }
  }
  const summary = reading(dbPath, (reader) => cacheSummary(reader, {}))
  expect(summary.by_cause.filter(({ cause }) => cause !== 'first_request')).toEqual([])
  expect(summary).toMatchObject({ requests: CASES * 3, judged: CASES * 3, missed_tokens: 0, waste_usd: 0 })
}, 300_000)
