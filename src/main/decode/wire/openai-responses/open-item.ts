import type { Json, JsonObject } from '../../../../shared/event.ts'
import { isObject, listOf, numberOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import type { ResponseDelta } from '../wire.ts'
import { callOf, typeOf } from './items.ts'

/** An item while its events arrive. Times are ms of this run. */
export interface OpenItem {
  /** The item as announced, without its content. */
  readonly announced: Json
  /** The item in its final form; undefined until then. */
  whole: Json | undefined
  /** Texts by their position in the item: parts of a message, of a summary, of reasoning; a call's input. */
  readonly parts: Map<string, string>
  readonly startedAt: number
  endedAt: number
}

/** The place of an event's text: the kind of part, and the field that numbers it. */
const PARTS: { readonly [event: string]: readonly [part: string, index: string] } = {
  'response.output_text.delta': ['text', 'content_index'],
  'response.refusal.delta': ['text', 'content_index'],
  'response.reasoning_text.delta': ['reasoning', 'content_index'],
  'response.reasoning_summary_text.delta': ['summary', 'summary_index'],
  'response.reasoning_summary_part.added': ['summary', 'summary_index'],
  'response.function_call_arguments.delta': ['input', ''],
  'response.custom_tool_call_input.delta': ['input', ''],
  'response.mcp_call_arguments.delta': ['input', ''],
  'response.code_interpreter_call_code.delta': ['input', ''],
}

/** Bounds the parts of an item. */
const MAX_PARTS = 2000
const SEPARATOR = '\n\n'

export const newItem = (announced: Json, at: number): OpenItem => ({
  announced,
  whole: undefined,
  parts: new Map(),
  startedAt: at,
  endedAt: at,
})

/** Adds the text of an event to its item. Returns the text to show; null if the event is unknown. */
export function takeDelta(open: OpenItem, event: string, data: JsonObject): string | null {
  const place = Object.hasOwn(PARTS, event) ? PARTS[event] : undefined
  if (place === undefined) return null
  const [part, indexed] = place
  const key = `${part}:${indexed === '' ? 0 : (numberOf(data[indexed]) ?? 0)}`
  const text = stringOf(data['delta']) ?? ''
  const known = open.parts.get(key)
  if (known === undefined && open.parts.size >= MAX_PARTS) return ''
  open.parts.set(key, (known ?? '') + text)
  // Parts of a summary are paragraphs.
  const isNext = known === undefined && open.parts.size > 1 && (part === 'summary' || part === 'reasoning')
  return isNext ? SEPARATOR + text : text
}

/** Returns the item as far as it arrived: its final form if that was seen, else one made of its pieces. */
export function closedItem({ announced, whole, parts }: OpenItem): Json {
  if (whole !== undefined) return whole
  const item = isObject(announced) ? announced : {}
  const texts = (part: string) => [...parts].filter(([key]) => key.startsWith(`${part}:`)).map(([, text]) => text)
  const input = texts('input').join('')
  if (texts('text').length > 0) {
    const content = texts('text').map((text) => ({ type: 'output_text', text }))
    return { type: 'message', role: 'assistant', ...item, content }
  }
  if (texts('summary').length > 0 || texts('reasoning').length > 0) {
    return {
      type: 'reasoning',
      ...item,
      summary: texts('summary').map((text) => ({ type: 'summary_text', text })),
      ...(texts('reasoning').length > 0
        ? { content: texts('reasoning').map((text) => ({ type: 'reasoning_text', text })) }
        : {}),
    }
  }
  if (input === '') return announced
  return typeOf(item) === 'custom_tool_call' ? { ...item, input } : { ...item, arguments: input }
}

/** Returns the text of an item for the live view; null if it has none. */
export function deltaOf(open: OpenItem): Pick<ResponseDelta, 'block' | 'tool_name'> | null {
  const item = objectOf(open.whole ?? open.announced)
  const type = isObject(open.whole ?? open.announced) ? typeOf(item) : typeByParts(open)
  if (type === 'message') return { block: 'text' }
  if (type === 'reasoning') return { block: 'thinking' }
  const call = callOf(item)
  return call === null ? null : { block: 'tool_input', tool_name: call.tool }
}

function typeByParts({ parts }: OpenItem): string {
  const [key = ''] = listOf([...parts.keys()]).map(String)
  if (key.startsWith('text:')) return 'message'
  return key.startsWith('summary:') || key.startsWith('reasoning:') ? 'reasoning' : 'none'
}
