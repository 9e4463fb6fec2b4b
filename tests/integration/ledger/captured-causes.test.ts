import { expect, test } from 'vitest'
import { runs, SEED } from '../../support/runner/heavy.ts'
import { seeded } from '../../support/store/history.ts'
import { bill, hadItRead, type SimulatedBody, type SimulatedUsage } from '../../support/upstream/cache-simulator.ts'
import { allMisses, simulatedSessions } from '../../support/upstream/simulated-sessions.ts'
import { goOn, newConversation, PLANTS, RATES, type Conversation, type Plant } from './captured-conversations.ts'

const VARIATIONS = runs(1, 20)
const ORDINARY = runs(6, 400)
const TURNS = 5

function session(name: string, conversation: Conversation, simulated: ReturnType<typeof simulatedSessions>) {
  const asked = () => {
    const { body, ...sent } = structuredClone(conversation)
    return { session: name, body: body as unknown as SimulatedBody, ...sent }
  }
  return {
    ask: () => simulated.send(asked()),
    lose: () => simulated.lose(asked()),
  }
}

const promptOf = ({ input, read, written5m, written1h }: SimulatedUsage) => input + read + written5m + written1h

test('what changes in requests of Claude Code is named, with its cost; the provider only if nothing changed', async () => {
  const simulated = simulatedSessions()
  const { store, dbPath, simulator } = simulated
  const planted: { name: string; session: string; at: string; plant: Plant; waste: number | null }[] = []
  for (const [name, plant] of Object.entries(PLANTS))
    for (let round = 0; round < VARIATIONS; round += 1) {
      const random = seeded(SEED + planted.length)
      const conversation = newConversation(random)
      plant.begin?.(conversation)
      const { ask, lose } = session(`${name} ${round}`, conversation, simulated)
      // Once sent, the system message is a string.
      goOn(conversation, random)
      await ask()
      let before = await ask()
      for (let turn = 0; turn < 1 + random() * 3; turn += 1) {
        goOn(conversation, random)
        before = await ask()
      }
      if (plant.lose) {
        goOn(conversation, random)
        await lose()
      }
      goOn(conversation, random)
      plant.change?.(conversation, random)
      if (plant.evict) simulator.evict()
      simulator.now += plant.waitMs ?? 0
      const at = new Date(simulator.now).toISOString()
      const usage = await ask()
      const left = promptOf(before) - before.input
      const missed = Math.max(0, Math.min(left, promptOf(usage)) - usage.read)
      const isPriced = plant.kind !== 'model_changed' && plant.kind !== 'speed_changed'
      const waste = isPriced ? bill(usage, RATES) - bill(hadItRead(usage, missed), RATES) : null
      planted.push({ name, plant, session: `${name} ${round}`, at, waste })
      if (name === 'no mark at the end' || name === 'compaction') continue
      goOn(conversation, random)
      await ask()
    }
  const misses = allMisses(dbPath)
  const wrong = planted.flatMap(({ name, session: id, at, plant, waste }) => {
    const of = misses.filter(({ session_id: own }) => own === id)
    const found = of.find(({ ts_wall: sent }) => sent === at)
    const isRight =
      plant.kind === null
        ? of.length === 0
        : of.length === 1 && found?.cause.kind === plant.kind && (found.cause.detail ?? '').includes(plant.detail ?? '')
    const isPriced = waste === null || Math.abs((found?.waste_usd ?? 0) - waste) < 1e-9
    const told = of.map(({ cause, ts_wall: sent, waste_usd: usd }) => [cause, sent === at, usd, waste])
    return isRight && isPriced ? [] : [`${name}: ${JSON.stringify(told)}`]
  })
  expect(wrong).toEqual([])
  store.close()
}, 600_000)

test('ordinary requests of Claude Code miss nothing', async () => {
  const simulated = simulatedSessions()
  for (let at = 0; at < ORDINARY; at += 1) {
    const random = seeded(SEED + 10_000 + at)
    const conversation = newConversation(random)
    goOn(conversation, random)
    for (let turn = 0; turn < TURNS; turn += 1) {
      await session(`ordinary ${at}`, conversation, simulated).ask()
      goOn(conversation, random, 1 + Math.floor(random() * 8))
    }
  }
  expect(allMisses(simulated.dbPath)).toEqual([])
  simulated.store.close()
}, 600_000)
