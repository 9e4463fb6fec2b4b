import type { Json, JsonObject } from '../../../../shared/event.ts'
import { isObject, listOf, numberOf, objectOf, parseJson, stringOf } from '../../json-access.ts'
import { mergeUsage } from '../../usage.ts'
import type { StreamEvent } from '../sse.ts'

/** A piece of text of a block as it is written. */
export interface ResponseDelta {
  readonly index: number
  readonly block: 'thinking' | 'text' | 'tool_input'
  readonly tool_name?: string
  /** The message it belongs to, as soon as that is known. */
  readonly message_id?: string
  readonly text: string
  readonly done?: true
}

/** A content block put together from its pieces. Times are ms of this run. */
export interface AssembledBlock {
  readonly index: number
  readonly block: JsonObject
  readonly startedAt: number
  readonly endedAt: number
}

/** A message as far as it came. */
export interface AssembledMessage {
  readonly messageId: string | null
  readonly model: string | null
  readonly blocks: readonly AssembledBlock[]
  readonly usage: JsonObject | null
  /** The final figures came, not only those of the start. */
  readonly usageFinal: boolean
  readonly stopReason: string | null
  readonly stopDetails: Json | undefined
  /** What the API took out of the context by itself (`context_management.applied_edits`). */
  readonly appliedEdits: Json | undefined
  /** `message_stop` came. */
  readonly whole: boolean
  readonly firstBlockAt: number | null
  /** Data of `error` events. */
  readonly errors: readonly Json[]
  /** What no one knows: events, deltas, broken lines. */
  readonly unknown: readonly { readonly what: string; readonly raw: Json }[]
}

interface OpenBlock {
  start: JsonObject
  text: string
  thinking: string
  json: string
  signature: string
  compaction: string
  citations: Json[]
  startedAt: number
  endedAt: number
  closed: boolean
}

/** Puts a streamed message together, event by event; whatever is missing, the rest still counts. */
export function createMessageAssembly() {
  const open = new Map<number, OpenBlock>()
  const errors: Json[] = []
  const unknown: { what: string; raw: Json }[] = []
  let message: JsonObject = {}
  let usage: JsonObject | null = null
  let usageFinal = false
  let ending: JsonObject = {}
  let appliedEdits: Json | undefined
  let whole = false
  let firstBlockAt: number | null = null

  function blockAt(index: number, at: number): OpenBlock {
    const known = open.get(index)
    if (known) return known
    firstBlockAt ??= at
    const created: OpenBlock = {
      start: {},
      text: '',
      thinking: '',
      json: '',
      signature: '',
      compaction: '',
      citations: [],
      startedAt: at,
      endedAt: at,
      closed: false,
    }
    open.set(index, created)
    return created
  }

  function takeDelta(data: JsonObject, index: number, at: number): ResponseDelta[] {
    const delta = objectOf(data['delta'])
    const block = blockAt(index, at)
    block.endedAt = at
    switch (delta['type']) {
      case 'text_delta': {
        const text = stringOf(delta['text']) ?? ''
        block.text += text
        return [{ index, block: 'text', text }]
      }
      case 'thinking_delta': {
        const text = stringOf(delta['thinking']) ?? ''
        block.thinking += text
        return text === '' ? [] : [{ index, block: 'thinking', text }]
      }
      case 'input_json_delta': {
        const text = stringOf(delta['partial_json']) ?? ''
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
        unknown.push({ what: `delta:${stringOf(delta['type']) ?? 'none'}`, raw: data })
        return []
    }
  }

  function takeEvent(data: JsonObject, at: number): ResponseDelta[] {
    const index = numberOf(data['index'])
    const type = stringOf(data['type']) ?? 'none'
    // Damage in one block must not reach another: what does not say which block it belongs to belongs to none.
    if (type.startsWith('content_block_') && index === null) {
      unknown.push({ what: `event:${type}`, raw: data })
      return []
    }
    return takeKnown(data, index ?? 0, at)
  }

  function takeKnown(data: JsonObject, index: number, at: number): ResponseDelta[] {
    switch (data['type']) {
      case 'message_start': {
        message = objectOf(data['message'])
        if (isObject(message['usage'])) usage = mergeUsage(usage ?? {}, message['usage'])
        return []
      }
      case 'content_block_start': {
        const block = blockAt(index, at)
        block.start = objectOf(data['content_block'])
        // Some upstreams put the first words into the start.
        block.text = (stringOf(block.start['text']) ?? '') + block.text
        block.thinking = (stringOf(block.start['thinking']) ?? '') + block.thinking
        const input = toolName(block)
        return input.tool_name === undefined ? [] : [{ index, block: 'tool_input', ...input, text: '' }]
      }
      case 'content_block_delta':
        return takeDelta(data, index, at)
      case 'content_block_stop': {
        const block = open.get(index)
        if (!block || block.closed) return []
        block.closed = true
        block.endedAt = at
        const kind = deltaKind(block)
        return kind === null ? [] : [{ index, block: kind, ...toolName(block), text: '', done: true }]
      }
      case 'message_delta':
        ending = { ...ending, ...withoutNulls(objectOf(data['delta'])) }
        appliedEdits = editsOf(data) ?? editsOf(objectOf(data['delta'])) ?? appliedEdits
        if (isObject(data['usage'])) {
          usage = mergeUsage(usage ?? {}, data['usage'])
          usageFinal = true
        }
        return []
      case 'message_stop':
        whole = true
        return []
      case 'ping':
        return []
      case 'error':
        errors.push(data)
        return []
      default:
        unknown.push({ what: `event:${stringOf(data['type']) ?? 'none'}`, raw: data })
        return []
    }
  }

  return {
    take(event: StreamEvent, at: number): ResponseDelta[] {
      if (event.type === 'broken') {
        unknown.push({ what: 'stream:broken', raw: event.text })
        return []
      }
      if (!isObject(event.data)) {
        unknown.push({ what: `event:${event.name ?? 'none'}`, raw: event.data })
        return []
      }
      const deltas = takeEvent(event.data['type'] === undefined ? { ...event.data, type: event.name } : event.data, at)
      const messageId = stringOf(message['id'])
      return messageId === null ? deltas : deltas.map((delta) => ({ ...delta, message_id: messageId }))
    },
    result(): AssembledMessage {
      return {
        messageId: stringOf(message['id']),
        model: stringOf(message['model']),
        blocks: [...open.entries()]
          .sort(([left], [right]) => left - right)
          .map(([index, block]) => ({
            index,
            block: closedBlock(block),
            startedAt: block.startedAt,
            endedAt: block.endedAt,
          })),
        usage,
        usageFinal,
        stopReason: stringOf(ending['stop_reason']) ?? stringOf(message['stop_reason']),
        stopDetails: ending['stop_details'] ?? message['stop_details'] ?? undefined,
        appliedEdits: appliedEdits ?? editsOf(message),
        whole,
        firstBlockAt,
        errors,
        unknown,
      }
    },
  }
}

/** A message that came in one piece (`stream: false`). */
export function wholeMessage(body: JsonObject, at: number): AssembledMessage {
  return {
    messageId: stringOf(body['id']),
    model: stringOf(body['model']),
    blocks: listOf(body['content']).map((block, index) => ({
      index,
      block: isObject(block) ? block : { type: 'none', raw: block },
      startedAt: at,
      endedAt: at,
    })),
    usage: isObject(body['usage']) ? body['usage'] : null,
    usageFinal: true,
    stopReason: stringOf(body['stop_reason']),
    stopDetails: body['stop_details'] ?? undefined,
    appliedEdits: editsOf(body),
    whole: true,
    firstBlockAt: at,
    errors: [],
    unknown: [],
  }
}

/** The edits of a `context_management` field; undefined where none were made. */
function editsOf(data: JsonObject): Json | undefined {
  const edits = listOf(objectOf(data['context_management'])['applied_edits'])
  return edits.length > 0 ? edits : undefined
}

function toolName(block: OpenBlock): { readonly tool_name?: string } {
  const type = stringOf(block.start['type']) ?? ''
  const name = stringOf(block.start['name'])
  return type.endsWith('tool_use') && name !== null ? { tool_name: name } : {}
}

function deltaKind(block: OpenBlock): ResponseDelta['block'] | null {
  const type = block.start['type']
  if (type === 'thinking' || (type === undefined && block.thinking !== '')) return 'thinking'
  if (type === 'text' || (type === undefined && block.text !== '')) return 'text'
  return typeof type === 'string' && type.endsWith('tool_use') ? 'tool_input' : null
}

/** The block with its pieces in place; one whose start was lost is known by its pieces. */
function closedBlock(block: OpenBlock): JsonObject {
  const type = block.start['type'] ?? lostType(block)
  switch (type) {
    case 'text':
      return {
        ...block.start,
        type,
        text: block.text,
        ...(block.citations.length > 0 ? { citations: [...listOf(block.start['citations']), ...block.citations] } : {}),
      }
    case 'thinking':
      return { ...block.start, type, thinking: block.thinking }
    case 'compaction':
      return { ...block.start, type, content: (stringOf(block.start['content']) ?? '') + block.compaction }
    default:
      if (block.json === '') return type === undefined ? block.start : { ...block.start, type }
      // A broken input (the stream was cut in it) stays as the text it was.
      return { ...block.start, ...(type === undefined ? {} : { type }), input: parseJson(block.json) ?? block.json }
  }
}

function lostType(block: OpenBlock): string | undefined {
  if (block.text !== '') return 'text'
  if (block.thinking !== '' || block.signature !== '') return 'thinking'
  return block.compaction === '' ? undefined : 'compaction'
}

function withoutNulls(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))
}
