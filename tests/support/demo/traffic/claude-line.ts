import type { DemoExchange, DemoFields } from '../../../../src/main/demo/demo-file.ts'
import { withMark } from '../../../../src/main/demo/demo-traffic.ts'
import { minimumTokens } from '../../../../src/main/ledger/minimum.ts'
import type { Json, JsonObject } from '../../../../src/shared/event.ts'
import type { Random } from '../../../../src/main/base/fixtures/random.ts'
import { CacheSimulator, type SimulatedBody, type SimulatedUsage } from '../../upstream/cache-simulator.ts'
import { contentOf, lengthOf, messageEvents, type Block } from './answer-events.ts'

/** The demo's texts are short, so each of its tokens counts as this many. */
const TOKENS_FOR_ONE = 4
const LIFETIMES = { '5m': { type: 'ephemeral' }, '1h': { type: 'ephemeral', ttl: '1h' } } as const

export interface LineOptions {
  readonly name: string
  readonly sessionId: string
  readonly agentId: string | null
  readonly fields: JsonObject
  readonly betas: readonly string[]
  readonly lifetime: keyof typeof LIFETIMES
  readonly random: Random
  /** A part of the ids of its answers. */
  readonly idMark: string
}

/** The requests and answers of Claude Code's main agent or of a subagent, with the prompt cache as it is documented. */
export class ClaudeLine {
  readonly written: (DemoFields | DemoExchange)[] = []
  /** Blocks of the next message. */
  pending: JsonObject[] = []
  messages: JsonObject[] = []
  betas: readonly string[]
  lifetime: keyof typeof LIFETIMES
  /** The API's answer to the question why the cache missed. */
  verdict: Json | undefined
  readonly #options: LineOptions
  readonly #cache = new CacheSimulator((model) => (minimumTokens(model) ?? 0) / TOKENS_FOR_ONE)
  #fields: JsonObject = {}
  #fieldsName = ''
  #versions = 0
  /** Messages of the last request that are unchanged since they were sent. */
  #sent = 0
  #lastMessage: string | null = null

  constructor(options: LineOptions) {
    this.#options = options
    this.betas = options.betas
    this.lifetime = options.lifetime
    this.change(options.fields)
  }

  get fields(): JsonObject {
    return this.#fields
  }

  /** Sends other fields from now on. */
  change(fields: JsonObject): void {
    this.#versions += 1
    this.#fields = { ...this.#fields, ...fields }
    this.#fieldsName = `${this.#options.name} ${this.#versions}`
    this.written.push({ kind: 'fields', name: this.#fieldsName, value: this.#fields })
  }

  /** Sends other messages from now on. */
  rewrite(messages: JsonObject[]): void {
    this.messages = messages
    this.#sent = 0
  }

  /** The provider loses what it cached. */
  evict(): void {
    this.#cache.evict()
  }

  /** Adds what waits as the next message. */
  #take(): void {
    if (this.pending.length > 0) this.messages.push({ role: 'user', content: this.pending })
    this.pending = []
  }

  /** Sends a request at `at`; returns when its answer is complete. */
  ask(at: number, blocks: readonly Block[], stopReason?: string): number {
    const { random, idMark } = this.#options
    this.#take()
    const usage = this.#usage(at)
    const written = usage.written5m + usage.written1h
    const output = Math.ceil(blocks.reduce((sum, block) => sum + lengthOf(block), 0) / 3.6) + 12
    const thinking = blocks.reduce((sum, block) => sum + ('thinking' in block ? block.thinking.length : 0), 0)
    const id = `msg_01${(idMark + random.hex(22)).slice(0, 22)}`
    const { model } = this.#fields
    const told = messageEvents({
      id,
      model: String(model),
      blocks,
      stopReason: stopReason ?? (blocks.some((block) => 'tool' in block) ? 'tool_use' : 'end_turn'),
      inputUsage: {
        input_tokens: Math.max(3, usage.input),
        cache_read_input_tokens: usage.read,
        cache_creation_input_tokens: written,
        cache_creation: { ephemeral_5m_input_tokens: usage.written5m, ephemeral_1h_input_tokens: usage.written1h },
        service_tier: 'standard',
        ...(this.#fields['speed'] === 'fast' ? { speed: 'fast' } : {}),
      },
      outputTokens: output,
      thinkingTokens: Math.ceil(thinking / 3.6),
      ttftMs: random.int(600, 2_400),
      ...(this.verdict === undefined ? {} : { diagnostics: this.verdict }),
    })
    this.verdict = undefined
    this.#write(at, { status: 200, events: told.events, tookMs: told.tookMs })
    this.#lastMessage = id
    this.messages.push({ role: 'assistant', content: blocks.map(contentOf) })
    return at + told.tookMs
  }

  /** Sends a request that is refused; the next one repeats it. */
  fail(
    at: number,
    { status, type, message }: { readonly status: number; readonly type: string; readonly message: string },
  ): number {
    this.#take()
    const tookMs = this.#options.random.int(120, 900)
    this.#write(at, { status, body: { type: 'error', error: { type, message } }, tookMs })
    return at + tookMs
  }

  #write(at: number, answer: Pick<DemoExchange, 'status' | 'events' | 'body' | 'tookMs'>): void {
    const { name, sessionId, agentId, random } = this.#options
    this.written.push({
      kind: 'exchange',
      session: sessionId,
      at: Math.round(at),
      path: '/v1/messages?beta=true',
      headers: [
        ['x-claude-code-session-id', sessionId],
        ...(agentId === null ? [] : ([['x-claude-code-agent-id', agentId]] as const)),
        ['user-agent', 'claude-cli/2.1.330 (external, cli)'],
        ['anthropic-beta', this.betas.join(',')],
        ['content-type', 'application/json'],
      ],
      conversation: name,
      keep: this.#sent,
      add: this.messages.slice(this.#sent),
      list: 'messages',
      fields: this.#fieldsName,
      ...(this.#lastMessage === null ? {} : { set: { diagnostics: { previous_message_id: this.#lastMessage } } }),
      mark: LIFETIMES[this.lifetime],
      answerHeaders: [['request-id', `req_01${random.hex(22)}`]],
      ...answer,
    })
    this.#sent = this.messages.length
  }

  #usage(at: number): SimulatedUsage {
    this.#cache.now = at
    const body = { ...this.#fields, messages: withMark(this.messages, LIFETIMES[this.lifetime]) }
    const { input, read, written5m, written1h } = this.#cache.send('demo', body as unknown as SimulatedBody, this.betas)
    return {
      input: input * TOKENS_FOR_ONE,
      read: read * TOKENS_FOR_ONE,
      written5m: written5m * TOKENS_FOR_ONE,
      written1h: written1h * TOKENS_FOR_ONE,
    }
  }
}
