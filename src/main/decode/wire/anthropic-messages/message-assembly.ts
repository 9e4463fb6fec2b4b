import type { ResponseDelta } from '../wire.ts'
import type { Json, JsonObject } from '../../../../shared/event.ts'
import type { CacheVerdict } from '../../../../shared/request-shape.ts'
import { filledString, isObject, listOf, numberOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import { cacheVerdict } from '../../cache-verdict.ts'
import { mergeUsage, ownNames } from '../../usage.ts'
import { chatText, isChatCompletion } from './chat-completion.ts'
import { eventType, isKeepAlive, type StreamEvent } from '../sse.ts'
import {
  allBlocks,
  deltaKind,
  deltaType,
  isOtherBlock,
  newBlock,
  saysSomething,
  thoughtIn,
  toldBlocks,
  toolName,
  type AssembledBlock,
  type OpenBlock,
} from './open-block.ts'

/** A message as far as it has arrived. */
export interface AssembledMessage {
  readonly messageId: string | null
  readonly model: string | null
  readonly blocks: readonly AssembledBlock[]
  readonly usage: JsonObject | null
  /** True once the final figures arrived, not only those of the start. */
  readonly usageFinal: boolean
  readonly stopReason: string | null
  readonly stopDetails: Json | undefined
  /** Content that the API itself removed from the context (`context_management.applied_edits`). */
  readonly appliedEdits: Json | undefined
  /** Why the cache missed, according to the API; undefined if the request did not ask. */
  readonly cacheVerdict: CacheVerdict | undefined
  /** True once `message_stop` arrived. */
  readonly whole: boolean
  readonly firstBlockAt: number | null
  /** Data of `error` events. */
  readonly errors: readonly Json[]
  /** Unknown input: events, deltas, broken lines. */
  readonly unknown: readonly { readonly what: string; readonly raw: Json }[]
  /** Number of blocks, errors and unknown events over the limit of a message. */
  readonly surplus: number
}

/** Each becomes an event of the log, so their number is bounded. The API's messages have a few dozen blocks. */
export const MAX_PARTS = { blocks: 2000, errors: 50, unknown: 200 } as const

/** The index of blocks that name none: a relay may leave it out of all events, or write it as a text. */
const UNNAMED = -1
const indexOf = (value: Json | undefined): number | null =>
  typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : numberOf(value)

/** Assembles a streamed message event by event. Missing events do not affect the rest. */
export class MessageAssembly {
  readonly #open = new Map<number, OpenBlock>()
  /** Places of blocks whose index another block had before: a relay may count from 0 again. */
  readonly #moved = new Map<number, number>()
  readonly #errors: Json[] = []
  readonly #unknown: { what: string; raw: Json }[] = []
  #surplusEvents = 0
  #message: JsonObject = {}
  /** Content of the start, where relays may write what no other event has. */
  #told: readonly AssembledBlock[] = []
  #usage: JsonObject | null = null
  #usageFinal = false
  #ending: JsonObject = {}
  #appliedEdits: Json | undefined
  #whole = false
  #firstBlockAt: number | null = null

  /** Takes an event that arrived `at` (ms of this run). Returns the pieces of text that it adds. */
  take(event: StreamEvent, at: number): ResponseDelta[] {
    if (event.type === 'broken' || !isObject(event.data)) {
      if (event.type === 'broken') this.#addUnknown('stream:broken', event.text)
      else this.#addUnknown(`event:${event.name ?? 'none'}`, event.data)
      return []
    }
    const deltas = this.#takeEvent({ ...event.data, type: eventType(event.name, event.data) }, at)
    const messageId = filledString(this.#message['id'])
    return messageId === null ? deltas : deltas.map((delta) => ({ ...delta, message_id: messageId }))
  }

  /** Returns the message as far as it has arrived. */
  result(): AssembledMessage {
    return {
      messageId: filledString(this.#message['id']),
      model: filledString(this.#message['model']),
      blocks: allBlocks(this.#told, this.#open),
      usage: this.#usage,
      usageFinal: this.#usageFinal,
      stopReason: stringOf(this.#ending['stop_reason']) ?? stringOf(this.#message['stop_reason']),
      stopDetails: this.#ending['stop_details'] ?? this.#message['stop_details'] ?? undefined,
      appliedEdits: this.#appliedEdits ?? editsOf(this.#message),
      cacheVerdict: cacheVerdict(this.#message),
      whole: this.#whole,
      firstBlockAt: this.#firstBlockAt,
      errors: this.#errors,
      unknown: this.#unknown,
      surplus: this.#surplusEvents,
    }
  }

  #addUnknown(what: string, raw: Json): void {
    if (this.#unknown.length < MAX_PARTS.unknown) this.#unknown.push({ what, raw })
    else this.#surplusEvents += 1
  }

  #takeEvent(data: JsonObject, at: number): ResponseDelta[] {
    const type = stringOf(data['type']) ?? 'none'
    const index = this.#placeOf(type, data)
    // A broken block must not affect another, so an event that does not name its block is left out.
    if (type.startsWith('content_block_') && index === null) {
      this.#addUnknown(`event:${type}`, data)
      return []
    }
    return this.#isSurplus(type, index ?? 0) ? [] : this.#takeKnown(data, index ?? 0, at)
  }

  /** Returns the place of an event's block in the message; null if it names none. */
  #placeOf(type: string, data: JsonObject): number | null {
    const isStart = type === 'content_block_start'
    const index = indexOf(data['index']) ?? (isStart ? UNNAMED : this.#moved.has(UNNAMED) ? UNNAMED : null)
    if (index === null) return null
    const place = this.#moved.get(index) ?? index
    const known = this.#open.get(place)
    const isSame = known === undefined ? index !== UNNAMED : !isOtherBlock(known, objectOf(data['content_block']))
    if (!isStart || isSame) return place
    const next = Math.max(-1, ...this.#open.keys()) + 1
    this.#moved.set(index, next)
    return next
  }

  /** A block beyond the limit is counted at its start, and none of its pieces is taken. */
  #isSurplus(type: string, index: number): boolean {
    if (!type.startsWith('content_block_') || this.#open.size < MAX_PARTS.blocks || this.#open.has(index)) return false
    if (type === 'content_block_start') this.#surplusEvents += 1
    return true
  }

  #takeKnown(data: JsonObject, index: number, at: number): ResponseDelta[] {
    const type = stringOf(data['type'])
    switch (type) {
      case 'message_start':
        this.#message = objectOf(data['message'])
        this.#addUsage(usageIn(data))
        this.#told = toldBlocks(this.#message['content'], at).filter(saysSomething).slice(0, MAX_PARTS.blocks)
        if (this.#told.length > 0) this.#firstBlockAt ??= at
        return []
      case 'content_block_start':
        return this.#startBlock(data, index, at)
      case 'content_block_delta':
        return this.#takeDelta(data, index, at)
      case 'content_block_stop':
        return this.#stopBlock(index, at)
      case 'message_delta':
        this.#ending = { ...this.#ending, ...withoutNulls(objectOf(data['delta'])) }
        this.#appliedEdits = editsOf(data) ?? editsOf(objectOf(data['delta'])) ?? this.#appliedEdits
        this.#takeUsage(usageIn(data))
        return []
      case 'message_stop':
        this.#takeUsage(usageIn(data) ?? ownNames(data['amazon-bedrock-invocationMetrics']))
        this.#whole = true
        return []
      case 'error':
        if (this.#errors.length < MAX_PARTS.errors) this.#errors.push(data)
        else this.#surplusEvents += 1
        return []
      default:
        if (isKeepAlive(type)) return []
        if (isChatCompletion(data)) return this.#takeChat(data, at)
        this.#takeUsage(usageIn(data))
        this.#addUnknown(`event:${type ?? 'none'}`, data)
        return []
    }
  }

  /** The client finds no answer in it, but it was paid for. */
  #takeChat(data: JsonObject, at: number): ResponseDelta[] {
    this.#message = { id: data['id'] ?? null, model: data['model'] ?? null, ...this.#message }
    this.#takeUsage(data['usage'])
    const text = chatText(data)
    return text === '' ? [] : this.#takeDelta({ delta: { type: 'text_delta', text } }, 0, at)
  }

  #takeUsage(usage: Json | undefined): void {
    if (this.#addUsage(usage)) this.#usageFinal = true
  }

  #addUsage(usage: Json | undefined): boolean {
    if (isObject(usage)) this.#usage = mergeUsage(this.#usage ?? {}, usage)
    return isObject(usage)
  }

  #blockAt(index: number, at: number): OpenBlock {
    const known = this.#open.get(index)
    if (known) return known
    this.#firstBlockAt ??= at
    const created = newBlock(at)
    this.#open.set(index, created)
    return created
  }

  #startBlock(data: JsonObject, index: number, at: number): ResponseDelta[] {
    const block = this.#blockAt(index, at)
    block.start = objectOf(data['content_block'])
    // Some upstreams send the beginning of the text with the start event.
    block.text = (stringOf(block.start['text']) ?? '') + block.text
    block.thinking = (stringOf(block.start['thinking']) ?? '') + block.thinking
    const input = toolName(block)
    return input.tool_name === undefined ? [] : [{ index, block: 'tool_input', ...input, text: '' }]
  }

  #stopBlock(index: number, at: number): ResponseDelta[] {
    const block = this.#open.get(index)
    if (!block || block.closed) return []
    block.closed = true
    block.endedAt = at
    const kind = deltaKind(block)
    return kind === null ? [] : [{ index, block: kind, ...toolName(block), text: '', done: true }]
  }

  #takeDelta(data: JsonObject, index: number, at: number): ResponseDelta[] {
    const delta = objectOf(data['delta'])
    const block = this.#blockAt(index, at)
    block.endedAt = at
    switch (deltaType(delta)) {
      case 'text':
      case 'text_delta': {
        const text = stringOf(delta['text']) ?? ''
        block.text += text
        return [{ index, block: 'text', text }]
      }
      case 'reasoning_delta':
      case 'thinking_delta': {
        const text = thoughtIn(delta)
        block.thinking += text
        return text === '' ? [] : [{ index, block: 'thinking', text }]
      }
      case 'input_json_delta': {
        const text = inputPiece(delta['partial_json'])
        block.json += text
        return text === '' ? [] : [{ index, block: 'tool_input', ...toolName(block), text }]
      }
      case 'signature_delta':
        block.signature += stringOf(delta['signature']) ?? ''
        return []
      case 'citations_delta':
        if (delta['citation'] !== undefined) block.citations.push(delta['citation'])
        return []
      case 'compaction_delta':
        block.compaction += stringOf(delta['content']) ?? ''
        return []
      default:
        this.#addUnknown(`delta:${stringOf(delta['type']) ?? 'none'}`, data)
        return []
    }
  }
}

/** Builds a message that arrived in one piece (`stream: false`). */
export function wholeMessage(body: JsonObject, at: number): AssembledMessage {
  const blocks = toldBlocks(isChatCompletion(body) ? chatText(body) : body['content'], at)
  return {
    messageId: filledString(body['id']),
    model: filledString(body['model']),
    blocks: blocks.slice(0, MAX_PARTS.blocks),
    usage: isObject(body['usage']) ? body['usage'] : null,
    usageFinal: true,
    stopReason: stringOf(body['stop_reason']),
    stopDetails: body['stop_details'] ?? undefined,
    appliedEdits: editsOf(body),
    cacheVerdict: cacheVerdict(body),
    whole: true,
    firstBlockAt: at,
    errors: [],
    unknown: [],
    surplus: Math.max(0, blocks.length - MAX_PARTS.blocks),
  }
}

/** Returns the edits of a `context_management` field; undefined if there were none. */
function editsOf(data: JsonObject): Json | undefined {
  const edits = listOf(objectOf(data['context_management'])['applied_edits'])
  return edits.length > 0 ? edits : undefined
}

/** Returns an event's usage: its own, or that of its message or delta. */
const usageIn = (data: JsonObject): Json | undefined =>
  objectOf(data['message'])['usage'] ?? data['usage'] ?? objectOf(data['delta'])['usage']

/** A relay may write the input as an object. */
const inputPiece = (piece: Json | undefined) => (isObject(piece) ? JSON.stringify(piece) : (stringOf(piece) ?? ''))

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
}
