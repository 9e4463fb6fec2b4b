import type { Json, JsonObject } from '../../../../shared/event.ts'
import { dataAddress } from '../../media.ts'
import { parseJson } from '../../json-access.ts'
import { filledString, isObject, listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'

/** Items of the Responses API: the parts of a request's `input` and of a response's `output`. */

/** Calls that the API answers itself, by the tool name that other clients' records use. */
const SERVER_CALLS: { readonly [type: string]: string } = {
  web_search_call: 'web_search',
  file_search_call: 'file_search',
  code_interpreter_call: 'code_interpreter',
  image_generation_call: 'image_generation',
  mcp_call: 'mcp_call',
}

/** Calls whose item does not name a tool. */
const NAMELESS_CALLS: { readonly [type: string]: string } = {
  local_shell_call: 'local_shell',
  shell_call: 'shell',
  apply_patch_call: 'apply_patch',
  computer_call: 'computer',
  tool_search_call: 'tool_search',
}

const COMPACTIONS: ReadonlySet<unknown> = new Set(['compaction', 'compaction_summary', 'context_compaction'])

export const typeOf = (item: JsonObject): string =>
  stringOf(item['type']) ?? (stringOf(item['role']) === null ? 'none' : 'message')

export const isCompaction = (item: JsonObject): boolean => COMPACTIONS.has(item['type'])

/** A call in an item. */
export interface ItemCall {
  /** `call_id`, or the item's own id for a tool that the API runs. */
  readonly callId: string
  readonly tool: string
  readonly input: Json
  readonly isServerSide: boolean
}

/** Returns the call of an item; null if it makes none, or does not name it. */
export function callOf(item: JsonObject): ItemCall | null {
  const type = typeOf(item)
  const own = filledString(item['call_id'])
  const id = filledString(item['id'])
  const serverTool = Object.hasOwn(SERVER_CALLS, type) ? SERVER_CALLS[type] : undefined
  if (serverTool !== undefined) {
    if (id === null) return null
    const server = filledString(item['server_label'])
    const name = filledString(item['name'])
    const tool = type === 'mcp_call' && server !== null && name !== null ? `mcp__${server}__${name}` : serverTool
    return { callId: id, tool, input: serverInput(item), isServerSide: true }
  }
  const callId = own ?? (type === 'local_shell_call' ? id : null)
  if (callId === null) return null
  if (type === 'function_call') return { callId, tool: toolName(item), input: argumentsOf(item), isServerSide: false }
  if (type === 'custom_tool_call')
    return { callId, tool: toolName(item), input: { input: item['input'] ?? '' }, isServerSide: false }
  const tool = Object.hasOwn(NAMELESS_CALLS, type) ? NAMELESS_CALLS[type] : undefined
  if (tool === undefined) return null
  const input = item['action'] ?? item['operation'] ?? argumentsOf(item)
  return { callId, tool, input, isServerSide: item['execution'] === 'server' }
}

/** Returns whether an item is the model's own, so part of an answer: everything but results and messages of others. */
export function isAnswer(item: JsonObject): boolean {
  const type = typeOf(item)
  if (type === 'message') return item['role'] === 'assistant'
  return type === 'reasoning' || callOf(item) !== null || isCompaction(item)
}

/** Returns the id of the call that an item answers; null if it is not a result. */
export function resultCallId(item: JsonObject): string | null {
  if (!typeOf(item).endsWith('_output')) return null
  return filledString(item['call_id']) ?? (item['type'] === 'local_shell_call_output' ? filledString(item['id']) : null)
}

/** Names an MCP tool as `mcp__<server>__<tool>`; other namespaces only group a client's own tools. */
function toolName(item: JsonObject): string {
  const name = filledString(item['name']) ?? 'unknown'
  const namespace = filledString(item['namespace'])
  if (namespace === null || !namespace.startsWith('mcp__')) return name
  return `${namespace.replace(/_+$/, '')}__${name}`
}

/** Arguments are JSON in a string; invalid JSON stays unchanged. */
function argumentsOf(item: JsonObject): Json {
  const given = item['arguments']
  if (typeof given !== 'string') return given ?? {}
  return parseJson(given) ?? given
}

function serverInput(item: JsonObject): Json {
  if (item['action'] !== undefined) return item['action']
  if (item['queries'] !== undefined) return { queries: item['queries'] }
  if (item['code'] !== undefined) return { code: item['code'] }
  return argumentsOf(item)
}

/** Returns the output of a tool that the API ran. */
export function serverOutput(item: JsonObject): Json {
  const action = objectOf(item['action'])
  return (
    item['output'] ?? item['results'] ?? item['outputs'] ?? item['error'] ?? item['result'] ?? action['sources'] ?? ''
  )
}

/** Returns the texts of a message's parts (`input_text`, `output_text`, `refusal`); a plain string is one text. */
export function partTexts(content: Json | undefined): readonly string[] {
  if (typeof content === 'string') return [content]
  return listOf(content).flatMap((part) => {
    const { text, refusal } = objectOf(part)
    return stringOf(text) ?? stringOf(refusal) ?? []
  })
}

/** Returns parts of a content in the form of the Messages API's images and texts, which results and media share. */
export function asBlocks(content: Json): Json {
  if (!Array.isArray(content)) return content
  return content.map((part: Json) => asBlock(part))
}

function asBlock(part: Json): Json {
  if (!isObject(part)) return part
  if (part['type'] === 'input_text' || part['type'] === 'output_text') return { type: 'text', text: part['text'] ?? '' }
  if (part['type'] !== 'input_image' && part['type'] !== 'input_file') return part
  const type = part['type'] === 'input_image' ? 'image' : 'document'
  const address = stringOf(part['image_url']) ?? stringOf(objectOf(part['image_url'])['url'])
  const given = address ?? stringOf(part['file_data']) ?? stringOf(part['file_url'])
  if (given === null) return { type, source: { type: 'file', file_id: part['file_id'] ?? null } }
  const found = dataAddress(given)
  if (found === null) return { type, source: { type: 'url', url: given } }
  return { type, source: { type: 'base64', media_type: found.mediaType, data: found.data } }
}
