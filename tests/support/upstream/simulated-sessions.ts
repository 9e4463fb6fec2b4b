import { createTimedExchanges } from '../recorder/timed-exchanges.ts'
import { openTestStore } from '../store/folder.ts'
import { CacheSimulator, type SimulatedBody, type SimulatedUsage } from './cache-simulator.ts'
import { bodyOf, type Conversation } from './planted-misses.ts'

/** USD per million tokens, as published; both models of these conversations have the same prices. */
export const RATES = { input: 3, read: 0.3, write5m: 3.75, write1h: 6 }
const START = Date.parse('2026-11-20T08:00:00Z')

export interface SimulatedAsk {
  readonly session: string
  readonly agent?: string
  readonly body: SimulatedBody
  readonly betas: readonly string[]
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
  async function send(asked: SimulatedAsk): Promise<SimulatedUsage> {
    const usage = simulator.send('key', asked.body, asked.betas)
    messages += 1
    const answer = answerOf(`msg_${messages}`, asked.body.model, usage)
    if (asked.unsplit) Reflect.deleteProperty(answer.usage, 'cache_creation')
    await record({ ...asked, wall: simulator.now, answer })
    simulator.now += 20_000
    return usage
  }
  /** Sends a request whose answer never comes: the API has cached it, and nobody knows its usage. */
  async function lose(asked: SimulatedAsk): Promise<void> {
    const usage = simulator.send('key', asked.body, asked.betas)
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
