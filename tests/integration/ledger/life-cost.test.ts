import { assert, expect, test } from 'vitest'
import { carryList, carrySession } from '../../../src/main/operations/reader/carry.ts'
import { createPricing } from '../../../src/main/store/pricing/pricing.ts'
import { rebuildProjections } from '../../../src/main/store/rebuild/rebuild.ts'
import { CARRY_GROUPS } from '../../../src/shared/contract/carry.ts'
import { runs } from '../../support/runner/heavy.ts'
import { HASH_KEY } from '../../support/store/folder.ts'
import { seeded } from '../../support/store/history.ts'
import { contentsOfProjections, withWriter } from '../../support/store/projection-rows.ts'
import { reading } from '../../support/store/reading.ts'
import { bill } from '../../support/upstream/cache-simulator.ts'
import { continueConversation, newConversation, PLANTS } from '../../support/upstream/planted-misses.ts'
import { RATES, simulatedSessions } from '../../support/upstream/simulated-sessions.ts'

const CASES = runs(24, 96)
const CARRIED = ['carry_lines', 'carry_calls', 'carried', 'carry_groups'] as const

interface Bill {
  readonly session: string
  readonly at: number
  readonly usd: number
  readonly tokens: number
}

/** Conversations with a miss each, of every planted cause. */
async function plantedSessions() {
  const { store, dbPath, simulator, ask } = simulatedSessions()
  const bills: Bill[] = []
  const plants = Object.entries(PLANTS)
  for (let at = 0; at < CASES; at += 1) {
    const [name, { begin, plant }] = plants[at % plants.length] ?? assert.fail('no plants')
    const random = seeded(at + 1)
    const session = `${at} ${name}`
    const conversation = newConversation(random)
    begin?.(conversation)
    const send = async () => {
      const sent = simulator.now
      const usage = await ask(session, conversation)
      const tokens = usage.input + usage.read + usage.written5m + usage.written1h
      bills.push({ session, at: sent, usd: bill(usage, RATES), tokens })
    }
    await send()
    for (let turn = 0; turn <= random() * 3; turn += 1) {
      continueConversation(conversation, random)
      await send()
    }
    const { evict, waitMs } = plant(conversation, random) ?? {}
    if (evict) simulator.evict()
    simulator.now += waitMs ?? 0
    await send()
    continueConversation(conversation, random)
    await send()
  }
  return { store, dbPath, bills }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

test('what was carried costs exactly what the API charged for input, in any grouping and range', async () => {
  const { store, dbPath, bills } = await plantedSessions()
  const random = seeded(7)
  reading(dbPath, (reader) => {
    for (const by of CARRY_GROUPS) {
      const found = carryList(reader, { by, limit: 500 })
      expect(Math.abs(sum(found.items.map(({ usd }) => usd)) - sum(bills.map(({ usd }) => usd)))).toBeLessThan(1e-9)
      expect(sum(found.items.map(({ tokens }) => tokens))).toBeCloseTo(sum(bills.map(({ tokens }) => tokens)), 4)
      expect(found.unknown).toEqual({ requests: 0, tokens: 0, usd: 0, reasons: [] })
      for (const item of found.items)
        expect(Math.abs(item.usd - item.read_usd - item.written_usd - item.uncached_usd)).toBeLessThan(1e-9)
    }
    const times = bills.map(({ at }) => at)
    for (let trial = 0; trial < 20; trial += 1) {
      const pick = () => times[Math.floor(random() * times.length)] ?? 0
      const [since = 0, until = 0] = [pick(), pick()].toSorted((one, other) => one - other)
      const range = { since: new Date(since).toISOString(), until: new Date(until).toISOString() }
      const inside = bills.filter(({ at }) => at >= since && at < until)
      const found = carryList(reader, { by: 'kind', limit: 500, ...range })
      expect(Math.abs(sum(found.items.map(({ usd }) => usd)) - sum(inside.map(({ usd }) => usd)))).toBeLessThan(1e-9)
      expect(Math.abs(found.total.usd - sum(inside.map(({ usd }) => usd)))).toBeLessThan(1e-9)
      expect(found.total.requests).toBe(inside.length)
    }
    for (const session of new Set(bills.map((row) => row.session))) {
      const own = bills.filter((row) => row.session === session)
      const found = carrySession(reader, { session_id: session, limit: 1000 })
      expect(found.more).toBe(false)
      const overhead = found.by_kind.find(({ key }) => key === 'overhead')?.usd ?? 0
      const usd = sum(found.items.map((item) => item.usd)) + overhead
      expect(Math.abs(usd - sum(own.map((row) => row.usd)))).toBeLessThan(1e-9)
    }
  })
  store.close()
  withWriter(dbPath, (db) => {
    const followed = contentsOfProjections(db)
    rebuildProjections(db, { pricing: createPricing(), hashKey: HASH_KEY })
    const rebuilt = contentsOfProjections(db)
    for (const table of CARRIED) expect(rebuilt[table]).toEqual(followed[table])
  })
}, 300_000)
