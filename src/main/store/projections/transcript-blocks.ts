import type { AnyEvent, AspyEvent, Json } from '../../../shared/event.ts'
import type { ShapeBlock, ShapeMessage } from '../../../shared/request-shape.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import { contextOrigin } from '../../decode/client/context-origin.ts'
import { calledFile } from '../../decode/client/file-tools.ts'
import type { RequestBlocks } from '../../ledger/request-blocks.ts'
import { estimateTokens } from '../../requests/estimate-tokens.ts'
import { contentReader } from '../log/contents.ts'
import { EVENT_COLUMNS, eventOfRow, sightingReader, type EventRow, type Sighting } from '../log/log.ts'
import { settled } from '../identity/settled.ts'
import type { ProjectionContext } from './projection.ts'

/** Conversations, and requests of them, that stay in memory. */
const KEPT = 100

/** A part of a conversation: of an answer of the model, or of what was sent to it. */
interface Part {
  /** The answer that it belongs to; null: it was sent. */
  readonly answer: { readonly messageId: string | null } | null
  readonly block: ShapeBlock
}

interface Conversation {
  /** The newest event in it. */
  lastId: number
  /** Its parts, a message each: every request has the same objects, so that comparing two is quick. */
  messages: ShapeMessage[]
  /** Where each answer begins in `messages`. */
  answers: Map<string, number>
  /** The number of messages up to the last one that was sent. */
  sent: number
  /** What its first request had besides the parts: system prompt, tools, instructions. Null before it. */
  setup: ShapeMessage | null
  /** One of its requests was captured. */
  isCaptured: boolean
}

type Usage = Pick<AspyEvent<'api_usage'>, 'id' | 'uuid' | 'session_id' | 'agent_id' | 'payload'>

/** Estimates what requests that were not captured had carried: the conversation before them, as transcripts tell it. */
export class TranscriptBlocks {
  readonly #conversations = new RecentlyUsed<string, Conversation>(KEPT)
  readonly #requests = new RecentlyUsed<string, RequestBlocks>(KEPT)
  readonly #earlier
  readonly #captured
  readonly #usage
  readonly #eventOf: (row: EventRow) => AnyEvent

  constructor({ prepareLog: prepare }: Pick<ProjectionContext, 'prepareLog'>) {
    this.#earlier = prepare<[string, string | null, number], EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = ? AND agent_id IS ? AND id < ? AND kind IN ('user_prompt',
         'assistant_text', 'thinking', 'tool_call', 'tool_result', 'compaction', 'api_usage') ORDER BY id`,
    )
    this.#captured = prepare<[string, string | null, number], number>(
      "SELECT 1 FROM events WHERE session_id = ? AND agent_id IS ? AND id < ? AND kind = 'model_request' LIMIT 1",
    ).pluck()
    this.#usage = prepare<[string], EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE uuid = ? AND kind = 'api_usage'`,
    )
    const fetch = contentReader({ prepare })
    const sightingsOf = sightingReader({ prepare }, fetch)
    this.#eventOf = (row) => {
      const event = eventOfRow(row, fetch)
      return event.kind === 'compaction' ? settled(event, sightingsOf(event)) : event
    }
  }

  /** Takes a new event into its conversation, if that is in memory. */
  note(event: AnyEvent): void {
    const conversation = this.#conversations.get(keyOf(event))
    if (conversation !== undefined) this.#add(conversation, event)
  }

  /** The summary of a compaction may be reported after it. */
  noteSighting(event: AnyEvent, sightings: readonly Sighting[]): void {
    if (event.kind !== 'compaction') return
    const { messages } = this.#conversations.get(keyOf(event)) ?? { messages: [] }
    const at = messages.findIndex(({ blocks }) => blocks[0]?.hash === event.uuid)
    const part = partOf(settled(event, sightings))
    if (at >= 0 && part !== null) messages[at] = messageOf(part)
  }

  /** Returns the blocks of the request that an answer's usage is of; null if one of its conversation was captured. */
  of(usage: Usage): RequestBlocks | null {
    const key = keyOf(usage)
    const conversation = this.#conversations.get(key) ?? this.#load(usage)
    this.#conversations.set(key, conversation)
    return this.#blocksOf(conversation, usage)
  }

  /** Returns the same again by the usage's uuid; null if there is none. */
  again(uuid: string): RequestBlocks | null {
    const known = this.#requests.get(uuid)
    if (known !== undefined) return known
    const row = this.#usage.get(uuid)
    const usage = row === undefined ? null : this.#eventOf(row)
    return usage?.kind === 'api_usage' ? this.#blocksOf(this.#load(usage), usage) : null
  }

  clear(): void {
    this.#conversations.clear()
    this.#requests.clear()
  }

  #load({ session_id: session, agent_id: agent, id }: Usage): Conversation {
    const isCaptured = this.#captured.get(session, agent, id) === 1
    const conversation: Conversation = { lastId: 0, ...nothingSaid(), isCaptured }
    if (isCaptured) return conversation
    for (const row of this.#earlier.all(session, agent, id)) this.#add(conversation, this.#eventOf(row))
    return conversation
  }

  #blocksOf(conversation: Conversation, usage: Usage): RequestBlocks | null {
    if (conversation.isCaptured) return null
    const sent = sentBefore(conversation, usage.payload.message_id)
    conversation.setup ??= setupOf(usage, sent)
    const found = { tools: [], system: [], messages: [conversation.setup, ...sent], shape: NO_SHAPE }
    this.#requests.set(usage.uuid, found)
    return found
  }

  #add(conversation: Conversation, event: AnyEvent): void {
    if (event.id <= conversation.lastId) return
    conversation.lastId = event.id
    if (event.kind === 'model_request') conversation.isCaptured = true
    if (event.kind === 'api_usage')
      conversation.setup ??= setupOf(event, sentBefore(conversation, event.payload.message_id))
    // After a compaction, the client attaches files and instructions again, which no transcript has.
    if (event.kind === 'compaction') Object.assign(conversation, nothingSaid())
    const part = conversation.isCaptured ? null : partOf(event)
    if (part !== null) addPart(conversation, part)
  }
}

const keyOf = ({ session_id: session, agent_id: agent }: Pick<AnyEvent, 'session_id' | 'agent_id'>): string =>
  JSON.stringify([session, agent])

const NO_SHAPE: RequestBlocks['shape'] = {
  base: null,
  keep: 0,
  add: [],
  marks: {},
  betas: [],
  speed: null,
  parameters: {},
  previous_message: null,
  asks_why: false,
  partial: true,
}

const nothingSaid = (): Pick<Conversation, 'messages' | 'answers' | 'sent' | 'setup'> => ({
  messages: [],
  answers: new Map(),
  sent: 0,
  setup: null,
})

const messageOf = ({ answer, block }: Part): ShapeMessage => ({
  role: answer === null ? 'user' : 'assistant',
  blocks: [block],
})

function addPart(conversation: Conversation, part: Part): void {
  const { messages, answers } = conversation
  const id = part.answer?.messageId ?? null
  if (id !== null && !answers.has(id)) answers.set(id, messages.length)
  messages.push(messageOf(part))
  if (part.answer === null) conversation.sent = messages.length
}

/** Returns the messages before an answer: a request ends with what was sent. */
function sentBefore({ messages, answers, sent }: Conversation, messageId: string | null): readonly ShapeMessage[] {
  return messages.slice(0, (messageId === null ? undefined : answers.get(messageId)) ?? sent)
}

/** Returns the tokens that no part accounts for: first those that were in the cache. */
function setupOf({ payload: { usage } }: Pick<Usage, 'payload'>, sent: readonly ShapeMessage[]): ShapeMessage {
  const read = usage.cache_read_input_tokens
  const all = usage.input_tokens + read + usage.cache_creation_input_tokens
  const tokens = Math.max(
    1,
    sent.reduce((left, { blocks }) => left - (blocks[0]?.tokens ?? 0), all),
  )
  const cached = Math.min(read, tokens)
  const blocks = [cached, tokens - cached]
    .filter((count) => count > 0)
    .map((count) => ({ hash: `setup ${count}`, kind: 'unknown', bytes: null, tokens: count, origin: 'setup' }))
  return { role: 'user', blocks }
}

function partOf({ uuid, kind, payload }: AnyEvent): Part | null {
  const part = (sent: Json, answer: Part['answer'], more: Partial<ShapeBlock>): Part => {
    const bytes = Buffer.byteLength(JSON.stringify(sent))
    return { answer, block: { hash: uuid, kind: 'text', bytes, tokens: estimateTokens(sent), ...more } }
  }
  const own = { messageId: 'message_id' in payload ? payload.message_id : null }
  switch (kind) {
    case 'user_prompt': {
      const sent = { type: 'text', text: payload.text }
      const found = contextOrigin(sent)
      return part(
        sent,
        null,
        found === null ? {} : { origin: found.origin, ...(found.name ? { name: found.name } : {}) },
      )
    }
    case 'compaction':
      return part({ type: 'text', text: payload.summary }, null, { origin: 'summary' })
    case 'assistant_text':
      return part({ type: 'text', text: payload.text }, own, {})
    case 'thinking':
      return part({ type: 'thinking', thinking: payload.text }, own, { kind: 'thinking' })
    case 'tool_call': {
      const { call_id: call, tool_name: tool, input } = payload
      const file = calledFile(input)
      const more = { kind: 'tool_use', call, tool, ...(file === null ? {} : { name: file }) }
      return part({ type: 'tool_use', name: tool, input }, own, more)
    }
    case 'tool_result': {
      const { call_id: call, output } = payload
      return part({ type: 'tool_result', content: output }, null, { kind: 'tool_result', call })
    }
    default:
      return null
  }
}
