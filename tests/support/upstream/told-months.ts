import { naturalKey, type AnyDraft } from '../../../src/main/decode/draft.ts'
import { DAY_MS } from '../../../src/shared/time-units.ts'
import { createTimedExchanges } from '../recorder/timed-exchanges.ts'
import { openTestStore } from '../store/folder.ts'
import { seeded } from '../store/history.ts'
import { draftOf } from '../store/seeded-store.ts'
import { bill, CacheSimulator, hadItRead, type SimulatedUsage } from './cache-simulator.ts'
import { bodyOf, continueConversation, newConversation, type Conversation } from './planted-misses.ts'
import { RATES } from './simulated-sessions.ts'

const START = Date.parse('2026-10-01T08:00:00Z')

interface AskOptions {
  /** The tool that the answer calls. */
  readonly calls?: string
  readonly input?: object
  /** The text of the answer. */
  readonly says?: string
  readonly agent?: string
}

/** A block of a conversation that is not a text. */
const blockOf = (block: object) => block as { type: string; text: string }

/** Writes words that no other text has. */
export const wordsOf = (random: () => number, count: number): string =>
  Array.from({ length: count }, () => Math.floor(random() * 1e9).toString(36)).join(' ')

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
  async ask(options: AskOptions = {}): Promise<SimulatedUsage> {
    const { usage } = await this.#month.send(this.id, this.conversation, options)
    continueConversation(this.conversation, this.#random)
    return usage
  }

  /** Asks; the answer runs a tool, whose result is in the conversation afterwards. Returns the usage of the asking. */
  async run(
    tool: string,
    input: object,
    result: string,
    { isError = false, agent = '' } = {},
  ): Promise<SimulatedUsage> {
    const asked = { calls: tool, input, ...(agent === '' ? {} : { agent }) }
    const { usage, call } = await this.#month.send(this.id, this.conversation, asked)
    this.conversation.messages.push(
      { role: 'assistant', content: [blockOf({ type: 'tool_use', id: call, name: tool, input })] },
      {
        role: 'user',
        content: [blockOf({ type: 'tool_result', tool_use_id: call, content: result, is_error: isError })],
      },
    )
    return usage
  }

  /** Answers a result, at the end of a turn: the next request is a prompt. */
  async answer({ agent = '', says = 'done' } = {}): Promise<SimulatedUsage> {
    const { usage } = await this.#month.send(this.id, this.conversation, {
      says,
      ...(agent === '' ? {} : { agent }),
    })
    continueConversation(this.conversation, this.#random)
    return usage
  }

  /** Asks something beside the conversation, before the next prompt of it is sent. */
  async beside(words: string): Promise<SimulatedUsage> {
    const sent = this.conversation.messages.slice(0, this.conversation.messages.length > 1 ? -1 : 1)
    const messages = [...sent, { role: 'user', content: words }]
    return (await this.#month.send(this.id, { ...this.conversation, messages, marksEnd: false }, {})).usage
  }

  /** Asks for a title, as the client does: a short request without tools. */
  async title(): Promise<SimulatedUsage> {
    const asked = newConversation(this.#random)
    const words = {
      tools: [],
      system: ['Write a short title.'],
      messages: [{ role: 'user', content: 'Paint the door.' }],
    }
    return (await this.#month.send(this.id, { ...asked, ...words }, {})).usage
  }

  /** Asks the person whether the last call may run, who needs some time; hooks report both, and how long it ran. */
  permission(tool: string, input: object, seconds: number, result: { text: string; isRefused: boolean }): void {
    const { text, isRefused } = result
    const to = { tool_name: tool, tool_input: input }
    const call = this.#month.lastCall
    this.#month.hook(this.id, (at) => draftOf('state_change', { name: 'permission_asked', to } as never, at))
    this.#month.wait(seconds * 1000)
    if (isRefused) return
    const ended = { call_id: call, tool_name: tool, output: text, is_error: false, rejected: false } as const
    const more = { success: true, duration_ms: 0, error_message: null, keys: [naturalKey.result(call)] }
    this.#month.hook(this.id, (at) => draftOf('tool_result', ended, { ...at, ...more }))
  }

  /** Begins the conversation of an agent of this session, which a call with this prompt starts. */
  agent(prompt: string, words: number): ToldSession {
    const agent = new ToldSession(this.#month, this.id, '', this.#random)
    agent.conversation.messages = [{ role: 'user', content: [{ type: 'text', text: prompt }] }]
    agent.conversation.system = ['You are an agent for Claude Code.', wordsOf(this.#random, words)]
    return agent
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
  /** The version of the client that sends the next requests. */
  version = '2.1.330'
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

  /** The id of the newest call of a tool. */
  get lastCall(): string {
    return `toolu_${this.#messages}`
  }

  /** Adds what a hook reports now. */
  hook(session: string, report: (by: { at: string; source: 'hook'; session_id: string }) => AnyDraft): void {
    const at = new Date(this.simulator.now).toISOString()
    this.store.ingest.append([report({ at, source: 'hook', session_id: session })])
  }

  async send(
    session: string,
    conversation: Conversation,
    { calls, input = {}, says = 'done', agent }: AskOptions = {},
  ): Promise<{ readonly usage: SimulatedUsage; readonly call: string }> {
    const usage = this.simulator.send('key', bodyOf(conversation), conversation.betas)
    this.#messages += 1
    const call = { type: 'tool_use', id: `toolu_${this.#messages}`, name: calls, input }
    await this.#record({
      session,
      ...(agent === undefined ? {} : { agent }),
      wall: this.simulator.now,
      betas: conversation.betas,
      version: this.version,
      body: bodyOf(conversation),
      answer: {
        id: `msg_${this.#messages}`,
        type: 'message',
        role: 'assistant',
        model: conversation.model,
        content: [{ type: 'text', text: says }, ...(calls === undefined ? [] : [call])],
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
    this.spent += costOf(usage)
    return { usage, call: call.id }
  }
}

/** USD of a request with its answer of 10 tokens. */
export const costOf = (usage: SimulatedUsage): number => bill(usage, RATES) + (10 * 15) / 1e6

/** USD that a request cost more than if it had read `could`, the tokens that the one before had left in the cache. */
export function wasteOf(usage: SimulatedUsage, could: number): number {
  return bill(usage, RATES) - bill(hadItRead(usage, could - usage.read), RATES)
}

/** Tokens that a request leaves in the cache. */
export const leftBy = ({ read, written5m, written1h }: SimulatedUsage): number => read + written5m + written1h
