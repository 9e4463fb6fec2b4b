import { assert, expect, test } from 'vitest'
import { cacheSummary } from '../../../src/main/operations/reader/cache.ts'
import { runs, SEED } from '../../support/runner/heavy.ts'
import { seeded } from '../../support/store/history.ts'
import { reading } from '../../support/store/reading.ts'
import { bill, hadItRead, type SimulatedUsage } from '../../support/upstream/cache-simulator.ts'
import { allMisses, simulatedSessions } from '../../support/upstream/simulated-sessions.ts'
import {
  bodyOf,
  goOn,
  mayLoseThinking,
  MODELS,
  newConversation,
  ratesOf,
  VARIED_PLANTS,
  type VariedConversation,
} from './varied-conversations.ts'

const CASES = runs(36, 500)
const CLEAN = runs(20, 500)

const promptOf = ({ input, read, written5m, written1h }: SimulatedUsage) => input + read + written5m + written1h

/** A session of two agents whose requests alternate; what the main agent's conversation becomes is planted. */
class Session {
  readonly name: string
  readonly #send
  readonly #now
  readonly #random: () => number
  readonly main: VariedConversation
  readonly #other: VariedConversation
  readonly #hasOther: boolean
  before: SimulatedUsage | null = null
  otherBefore: SimulatedUsage | null = null
  expected = 0
  /** Whether only one of the last two requests of the main agent had images. */
  changedImages = false
  /** When the main agent's last request was sent. */
  sentAt = 0
  #hadImages: boolean | null = null

  constructor(name: string, random: () => number, { send, simulator }: ReturnType<typeof simulatedSessions>) {
    this.name = name
    this.#now = () => simulator.now
    this.#random = random
    this.#send = send
    this.main = newConversation(random)
    this.#other = newConversation(random)
    this.#hasOther = random() < 0.4
  }

  async ask(): Promise<void> {
    const { main } = this
    const hasImages = JSON.stringify(main.messages).includes('"type":"image"')
    this.changedImages = this.#hadImages !== null && this.#hadImages !== hasImages
    this.#hadImages = hasImages
    this.sentAt = this.#now()
    const usage = await this.#send({ session: this.name, body: bodyOf(main), betas: main.betas })
    this.expected += this.before === null ? 0 : wasteOf(main.model, this.before, usage)
    this.before = usage
    if (!this.#hasOther) return
    const other = this.#other
    const read = await this.#send({ session: this.name, agent: 'a1', body: bodyOf(other), betas: other.betas })
    this.expected += this.otherBefore === null ? 0 : wasteOf(other.model, this.otherBefore, read)
    this.otherBefore = read
    goOn(other, this.#random)
  }
}

function wasteOf(model: string, before: SimulatedUsage, usage: SimulatedUsage): number {
  const could = Math.min(before.read + before.written5m + before.written1h, promptOf(usage))
  const rates = ratesOf(model)
  return bill(usage, rates) - bill(hadItRead(usage, Math.max(0, could - usage.read)), rates)
}

const minimumOf = (model: string) => MODELS[model]?.minimum ?? Number.NaN

test('causes are found in conversations of many shapes, and the waste is what the bill would have been lower', async () => {
  const simulated = simulatedSessions(minimumOf)
  const { store, dbPath, simulator } = simulated
  const names = Object.keys(VARIED_PLANTS)
  const planted: { session: string; name: string; kind: string; at: string }[] = []
  let expected = 0
  /** After a compaction removed all images, a request may bring the first one again. */
  const noteImages = ({ name, changedImages, sentAt }: Session) => {
    const at = new Date(sentAt).toISOString()
    if (changedImages) planted.push({ session: name, name: 'an image again', kind: 'messages_changed', at })
  }
  for (let at = 0; planted.length < CASES; at += 1) {
    const random = seeded(SEED + at)
    const session = new Session(`session ${at}`, random, simulated)
    const nameOf = (round: number) => names[(at * 5 + round * 7) % names.length] ?? assert.fail('no plants')
    VARIED_PLANTS[nameOf(0)]?.begin?.(session.main)
    await session.ask()
    goOn(session.main, random)
    await session.ask()
    // Up to three plants one after the other, with requests in between.
    for (let round = 0; round <= random() * 3; round += 1) {
      const name = nameOf(round)
      const { kind, plant } = VARIED_PLANTS[name] ?? assert.fail('no plant')
      const isUnclear = kind === 'provider' && mayLoseThinking(session.main)
      goOn(session.main, random)
      const more = plant(session.main, random)
      if (more !== null) {
        if (more.evict) simulator.evict()
        simulator.now += more.waitMs ?? 0
        const at = new Date(simulator.now).toISOString()
        planted.push({ session: session.name, name, kind: isUnclear ? 'unknown' : kind, at })
      }
      await session.ask()
      if (more === null) noteImages(session)
      if ((name.startsWith('marks gone') || name === 'a short prompt') && more !== null) break
      goOn(session.main, random)
      await session.ask()
      noteImages(session)
    }
    expected += session.expected
  }
  const misses = allMisses(dbPath).filter(({ agent_id: agent }) => agent === null)
  const wrong = planted.flatMap(({ session, name, kind, at }) => {
    const found = misses.find((miss) => miss.session_id === session && miss.ts_wall === at)
    return found?.cause.kind === kind ? [] : [`${session}, ${name}: ${JSON.stringify(found?.cause ?? null)}`]
  })
  const summary = reading(dbPath, (reader) => cacheSummary(reader, {}))
  if (wrong.length > 0) console.error(wrong.join('\n'))
  expect(wrong.length).toBeLessThanOrEqual(planted.length * 0.05)
  expect(
    misses.filter(
      (miss) =>
        miss.cause.kind !== 'below_minimum' &&
        !planted.some(({ at, session }) => at === miss.ts_wall && session === miss.session_id),
    ),
  ).toEqual([])
  expect(Math.abs(summary.waste_usd - expected)).toBeLessThan(1e-9)
  store.close()
}, 600_000)

test('clean runs of many shapes waste nothing', async () => {
  const simulated = simulatedSessions(minimumOf)
  const { store, dbPath } = simulated
  for (let at = 0; at < CLEAN; at += 1) {
    const random = seeded(SEED + 10_000 + at)
    const session = new Session(`clean ${at}`, random, simulated)
    for (let turn = 0; turn < 4; turn += 1) {
      await session.ask()
      goOn(session.main, random)
    }
  }
  expect(allMisses(dbPath)).toEqual([])
  expect(reading(dbPath, (reader) => cacheSummary(reader, {}))).toMatchObject({ missed_tokens: 0, waste_usd: 0 })
  store.close()
}, 600_000)
