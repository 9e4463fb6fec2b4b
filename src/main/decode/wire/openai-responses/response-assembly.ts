import { firstCharacters } from '../../../../shared/cut-text.ts'
import type { Json, JsonObject } from '../../../../shared/event.ts'
import { filledString, isObject, listOf, numberOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import { wordsOfError } from '../../error-words.ts'
import { eventType, type StreamEvent } from '../sse.ts'
import type { ResponseDelta } from '../wire.ts'
import { callOf } from './items.ts'
import { closedItem, deltaOf, newItem, takeDelta, type OpenItem } from './open-item.ts'

/** An item assembled from its pieces. Times are ms of this run. */
export interface AssembledItem {
  readonly index: number
  readonly item: Json
  readonly startedAt: number
  readonly endedAt: number
}

/** A response, as far as it has arrived. */
export interface AssembledResponse {
  readonly id: string | null
  readonly model: string | null
  readonly items: readonly AssembledItem[]
  readonly usage: JsonObject | null
  /** The tier that served it. */
  readonly serviceTier: string | null
  /** In the terms of the Messages API, which the rest of the app uses; null if the response did not end. */
  readonly stopReason: string | null
  readonly stopDetails: Json | undefined
  /** True once an event ended it. */
  readonly whole: boolean
  /** True if it ended with `response.completed`. */
  readonly completed: boolean
  readonly firstBlockAt: number | null
  /** `{error: {type, message}}`, as in an `error` event of the Messages API. */
  readonly errors: readonly Json[]
  /** Limits that an event reported: `codex.rate_limits`. */
  readonly limits: JsonObject | null
  readonly unknown: readonly { readonly what: string; readonly raw: Json }[]
}

/** Bounds the items of a response; no model writes that many. */
const MAX_ITEMS = 10_000
/** Bounds the unknown events that are kept for a response. */
const MAX_UNKNOWN = 1000

/** Events that only repeat what their item's other events contain. */
const REPEATS =
  /^response\.(?:queued|in_progress|content_part\.(?:added|done)|output_text\.(?:done|annotation\.added)|reasoning_text\.done|reasoning_summary_text\.done|reasoning_summary_part\.done|refusal\.done|function_call_arguments\.done|custom_tool_call_input\.done|mcp_call_arguments\.done|code_interpreter_call_code\.done|(?:web_search|file_search|code_interpreter|image_generation|mcp)_call\.\w+|mcp_list_tools\.\w+|metadata)$|^keepalive$/

/** Assembles a response event by event. Missing events do not affect the rest. */
export class ResponseAssembly {
  readonly #open = new Map<number, OpenItem>()
  readonly #errors: Json[] = []
  readonly #unknown: { what: string; raw: Json }[] = []
  #response: JsonObject = {}
  #ending: string | null = null
  #limits: JsonObject | null = null
  #firstBlockAt: number | null = null

  /** True once an event ended the response. */
  get isOver(): boolean {
    return this.#ending !== null
  }

  take(event: StreamEvent, at: number): ResponseDelta[] {
    if (event.type === 'broken') {
      this.#note('stream:broken', event.text)
      return []
    }
    if (!isObject(event.data)) {
      this.#note(`event:${event.name ?? 'none'}`, event.data)
      return []
    }
    const type = eventType(event.name, event.data) ?? 'none'
    const id = stringOf(this.#response['id'])
    return this.#takeEvent(type, event.data, at).map((delta) => (id === null ? delta : { ...delta, message_id: id }))
  }

  /** Takes a response that was not streamed. */
  takeWhole(response: JsonObject, at: number): void {
    this.#end(`response.${stringOf(response['status']) ?? 'completed'}`, response, at)
  }

  result(): AssembledResponse {
    const items = [...this.#open.entries()]
      .sort(([left], [right]) => left - right)
      .map(([index, open]) => ({
        index,
        item: closedItem(open),
        startedAt: open.startedAt,
        endedAt: open.endedAt,
      }))
    const { usage } = this.#response
    return {
      id: filledString(this.#response['id']),
      model: filledString(this.#response['model']),
      items,
      usage: isObject(usage) ? usage : null,
      serviceTier: filledString(this.#response['service_tier']),
      stopReason: this.#stopReason(items.map(({ item }) => item)),
      stopDetails: isObject(this.#response['incomplete_details']) ? this.#response['incomplete_details'] : undefined,
      whole: this.#ending !== null,
      completed: this.#ending === 'response.completed',
      firstBlockAt: this.#firstBlockAt,
      errors: this.#errors,
      limits: this.#limits,
      unknown: this.#unknown,
    }
  }

  #takeEvent(type: string, data: JsonObject, at: number): ResponseDelta[] {
    switch (type) {
      case 'response.created':
        this.#response = objectOf(data['response'])
        return []
      case 'response.output_item.added':
        return this.#add(data, at)
      case 'response.output_item.done':
        return this.#done(data, at)
      case 'response.completed':
      case 'response.done':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        this.#end(type === 'response.done' ? 'response.completed' : type, objectOf(data['response']), at)
        return []
      case 'error':
        this.#fail(data)
        return []
      case 'codex.rate_limits':
        this.#limits = objectOf(data['rate_limits'])
        return []
    }
    if (type.endsWith('.delta') || type === 'response.reasoning_summary_part.added') return this.#delta(type, data, at)
    if (!REPEATS.test(type)) this.#note(`event:${type}`, data)
    return []
  }

  #add(data: JsonObject, at: number): ResponseDelta[] {
    const index = this.#indexOf(data)
    if (index === null) return []
    this.#firstBlockAt ??= at
    this.#open.set(index, newItem(data['item'] ?? null, at))
    return []
  }

  #done(data: JsonObject, at: number): ResponseDelta[] {
    const index = this.#indexOf(data)
    if (index === null) return []
    this.#firstBlockAt ??= at
    const open = this.#open.get(index) ?? newItem(null, at)
    open.whole = data['item'] ?? null
    open.endedAt = at
    this.#open.set(index, open)
    const block = deltaOf(open)
    return block === null ? [] : [{ index, ...block, text: '', done: true }]
  }

  #delta(type: string, data: JsonObject, at: number): ResponseDelta[] {
    const index = this.#indexOf(data)
    if (index === null) return []
    const open = this.#open.get(index) ?? newItem(null, at)
    this.#firstBlockAt ??= at
    this.#open.set(index, open)
    open.endedAt = at
    const text = takeDelta(open, type, data)
    if (text === null) {
      if (!REPEATS.test(type)) this.#note(`event:${type}`, data)
      return []
    }
    const block = deltaOf(open)
    return block === null || text === '' ? [] : [{ index, ...block, text }]
  }

  #end(type: string, response: JsonObject, at: number): void {
    this.#ending = type
    this.#response = { ...this.#response, ...response }
    const error = objectOf(response['error'])
    if (stringOf(error['message']) !== null || type === 'response.failed') this.#fail({ error })
    // Items that no event reported, as in a response that was not streamed.
    listOf(response['output']).forEach((item, index) => {
      const open = this.#open.get(index)
      if (open?.whole !== undefined || index >= MAX_ITEMS) return
      this.#firstBlockAt ??= at
      this.#open.set(index, { ...(open ?? newItem(null, at)), whole: item, endedAt: at })
    })
  }

  /** An `error` event has the error in a field, or is itself the error. On a WebSocket it ends the response. */
  #fail(data: JsonObject): void {
    const { code, type, message } = wordsOfError(data)
    this.#errors.push({
      error: { type: code ?? type, message: message ?? 'the response failed' },
      ...(numberOf(data['status']) === null ? {} : { status: data['status'] ?? null }),
    })
    this.#ending ??= 'error'
  }

  #stopReason(items: readonly Json[]): string | null {
    switch (this.#ending) {
      case 'response.completed':
        if (this.#response['end_turn'] === false) return 'pause_turn'
        return items.some((item) => isObject(item) && callOf(item)?.isServerSide === false) ? 'tool_use' : 'end_turn'
      case 'response.incomplete': {
        const reason = filledString(objectOf(this.#response['incomplete_details'])['reason'])
        if (reason === 'max_output_tokens') return 'max_tokens'
        return reason === 'content_filter' ? 'refusal' : (reason ?? 'incomplete')
      }
      default:
        return null
    }
  }

  #indexOf(data: JsonObject): number | null {
    const index = numberOf(data['output_index'])
    if (index !== null && index >= 0 && index < MAX_ITEMS && Number.isInteger(index)) return index
    // A broken item must not affect another, so an event that does not name its item is left out.
    this.#note(`event:${stringOf(data['type']) ?? 'none'}`, data)
    return null
  }

  #note(what: string, raw: Json): void {
    if (this.#unknown.length < MAX_UNKNOWN) this.#unknown.push({ what: firstCharacters(what, 200), raw })
  }
}
