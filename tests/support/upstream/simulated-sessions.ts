import { cacheList } from '../../../src/main/operations/reader/cache.ts'
import type { CacheMiss } from '../../../src/shared/contract/cache.ts'
import { createTimedExchanges } from '../recorder/timed-exchanges.ts'
import { openTestStore } from '../store/folder.ts'
import { reading } from '../store/reading.ts'
import { CacheSimulator, type SimulatedBody, type SimulatedUsage } from './cache-simulator.ts'
import { bodyOf, type Conversation } from './planted-misses.ts'

/** USD per million tokens, as published; both models of these conversations have the same prices. */
export const RATES = { input: 3, read: 0.3, write5m: 3.75, write1h: 6 }
const START = Date.parse('2026-11-20T08:00:00Z')

export interface SimulatedAsk {
  readonly session: string
  readonly agent?: string
  /** Each has a cache of its own. */
  readonly key?: string
  readonly body: SimulatedBody
  readonly betas: readonly string[]
  /** This machine's clock is wrong by so much, and the API says its own time; absent: it does not. */
  readonly clockMs?: number
  /** The API does not say for how long it keeps what was written, as gateways do. */
  readonly unsplit?: true
}

/** Opens a store and sends conversations through the simulated cache into it. */
export function simulatedSessions(minimum: (model: string) => number = () => 1024) {
  const { store, dbPath } = openTestStore()
  const record = createTimedExchanges(store)
  const simulator = new CacheSimulator(minimum)
  let messages = 0
  simulator.now = START
  /** Sends a request; what it returns records the answer. */
  async function start(asked: SimulatedAsk): Promise<() => Promise<SimulatedUsage>> {
    const usage = simulator.send(asked.key ?? 'key', asked.body, asked.betas)
    messages += 1
    const answer = answerOf(`msg_${messages}`, asked.body.model, usage)
    if (asked.unsplit) Reflect.deleteProperty(answer.usage, 'cache_creation')
    const { clockMs } = asked
    const times = {
      wall: simulator.now + (clockMs ?? 0),
      ...(clockMs === undefined ? {} : { answeredAt: simulator.now }),
    }
    const end = await record.start({ ...asked, ...times, answer })
    return async () => {
      await end()
      simulator.now += 20_000
      return usage
    }
  }
  const send = async (asked: SimulatedAsk): Promise<SimulatedUsage> => (await start(asked))()
  /** Sends a request whose answer never comes: the API has cached it, and nobody knows its usage. */
  async function lose(asked: SimulatedAsk): Promise<void> {
    const usage = simulator.send(asked.key ?? 'key', asked.body, asked.betas)
    await record.start({ ...asked, wall: simulator.now, answer: answerOf('msg_lost', asked.body.model, usage) })
    simulator.now += 20_000
  }
  /** Sends a request that the API refuses: nothing is cached. */
  async function refuse(asked: SimulatedAsk): Promise<void> {
    const answer = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    await record({ ...asked, wall: simulator.now, status: 529, answer })
    simulator.now += 20_000
  }
  /** Asks how many tokens a request would have: the API caches and bills nothing. */
  async function count(asked: SimulatedAsk): Promise<void> {
    const answer = { input_tokens: JSON.stringify(asked.body).length }
    await record({ ...asked, path: '/v1/messages/count_tokens?beta=true', wall: simulator.now, answer })
    simulator.now += 20_000
  }
  return {
    count,
    store,
    dbPath,
    simulator,
    start,
    send,
    lose,
    refuse,
    ask: (session: string, conversation: Conversation): Promise<SimulatedUsage> =>
      send({ session, body: bodyOf(conversation), betas: conversation.betas }),
  }
}

const answerOf = (id: string, model: string, usage: SimulatedUsage) => ({
  id,
  type: 'message',
  role: 'assistant',
  model,
  content: [{ type: 'text', text: `answer ${id}` }],
  stop_reason: 'end_turn',
  usage: {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.read,
    cache_creation_input_tokens: usage.written5m + usage.written1h,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.written5m,
      ephemeral_1h_input_tokens: usage.written1h,
    },
    output_tokens: 10,
  },
})

/** Returns all requests that missed anything, the newest first. */
export function allMisses(dbPath: string): readonly CacheMiss[] {
  return reading(dbPath, (reader) => {
    const found: CacheMiss[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = cacheList(reader, { limit: 500, ...(cursor === undefined ? {} : { cursor }) })
      found.push(...page.items.filter(({ cause }) => cause.kind !== 'first_request'))
      cursor = page.next
    }
    return found
  })
}
