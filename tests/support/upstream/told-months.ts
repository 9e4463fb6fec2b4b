import { DAY_MS } from '../../../src/shared/time-units.ts'
import { createTimedExchanges } from '../recorder/timed-exchanges.ts'
import { openTestStore } from '../store/folder.ts'
import { seeded } from '../store/history.ts'
import { bill, CacheSimulator, hadItRead, type SimulatedUsage } from './cache-simulator.ts'
import { bodyOf, continueConversation, newConversation, type Conversation } from './planted-misses.ts'
import { RATES } from './simulated-sessions.ts'

const START = Date.parse('2026-10-01T08:00:00Z')

interface AskOptions {
  /** The MCP tool that the answer calls. */
  readonly calls?: string
}

/** A session of a told month. Its clock is the month's. */
export class ToldSession {
  readonly id: string
  readonly conversation: Conversation
  readonly #month: ToldMonths
  readonly #random: () => number

  constructor(month: ToldMonths, id: string, project: string, random: () => number) {
    this.#month = month
    this.#random = random
    this.id = id
    this.conversation = newConversation(random)
    this.conversation.ttl = '5m'
    this.conversation.system.push(`<env>\nWorking directory: ${project}\n</env>`)
  }

  /** Sends the next request of the conversation. Returns its usage. */
  async ask({ calls }: AskOptions = {}): Promise<SimulatedUsage> {
    const usage = await this.#month.send(this.id, this.conversation, calls)
    continueConversation(this.conversation, this.#random)
    return usage
  }
}

/** Months of work of one person, told session by session through the real decoders and a simulated cache. */
export class ToldMonths {
  readonly #opened = openTestStore()
  readonly store = this.#opened.store
  readonly dbPath = this.#opened.dbPath
  readonly folder = this.#opened.folder
  readonly simulator = new CacheSimulator(() => 1024)
  /** USD of all input and output. */
  spent = 0
  readonly #record = createTimedExchanges(this.store)
  #sessions = 0
  #messages = 0

  constructor() {
    this.simulator.now = START
  }

  /** Begins a session half a day after the last one. */
  begin(project: string): ToldSession {
    this.#sessions += 1
    this.simulator.now += DAY_MS / 2
    return new ToldSession(this, `session-${this.#sessions}`, project, seeded(this.#sessions))
  }

  wait(ms: number): void {
    this.simulator.now += ms
  }

  async send(session: string, conversation: Conversation, calls?: string): Promise<SimulatedUsage> {
    const usage = this.simulator.send('key', bodyOf(conversation), conversation.betas)
    this.#messages += 1
    const call = { type: 'tool_use', id: `toolu_${this.#messages}`, name: calls, input: {} }
    await this.#record({
      session,
      wall: this.simulator.now,
      betas: conversation.betas,
      body: bodyOf(conversation),
      answer: {
        id: `msg_${this.#messages}`,
        type: 'message',
        role: 'assistant',
        model: conversation.model,
        content: [{ type: 'text', text: 'done' }, ...(calls === undefined ? [] : [call])],
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
      },
    })
    this.simulator.now += 20_000
    this.spent += bill(usage, RATES) + (10 * 15) / 1e6
    return usage
  }
}

/** USD that a request cost more than if it had read `could`, the tokens that the one before had left in the cache. */
export function wasteOf(usage: SimulatedUsage, could: number): number {
  return bill(usage, RATES) - bill(hadItRead(usage, could - usage.read), RATES)
}

/** Tokens that a request leaves in the cache. */
export const leftBy = ({ read, written5m, written1h }: SimulatedUsage): number => read + written5m + written1h
