import type { Json, JsonObject } from '../../../../shared/event.ts'
import { parseJson } from '../../json-access.ts'
import { isObject, listOf, stringOf } from '../../../../shared/json-fields.ts'

/** A content block assembled from its pieces. Times are ms of this run. */
export interface AssembledBlock {
  readonly index: number
  readonly block: JsonObject
  readonly startedAt: number
  readonly endedAt: number
}

/** A content block whose pieces are still arriving. */
export interface OpenBlock {
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

/** Creates an empty block; `at`: ms of this run. */
export function newBlock(at: number): OpenBlock {
  return {
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
}

/** True if what starts is not the block that has its index: that one ended, or is of another type or call. */
export const isOtherBlock = ({ start, closed }: OpenBlock, next: JsonObject): boolean =>
  start['type'] !== undefined && (closed || start['type'] !== next['type'] || start['id'] !== next['id'])

/** Returns the tool that a block calls, as a field of its deltas. */
export function toolName(block: OpenBlock): { readonly tool_name?: string } {
  const type = stringOf(block.start['type']) ?? ''
  const name = stringOf(block.start['name'])
  return type.endsWith('tool_use') && name !== null ? { tool_name: name } : {}
}

/** Returns the kind of a block's deltas; null if it has none to show. */
export function deltaKind(block: OpenBlock): 'thinking' | 'text' | 'tool_input' | null {
  const type = block.start['type']
  if (type === 'thinking' || (type === undefined && block.thinking !== '')) return 'thinking'
  if (type === 'text' || (type === undefined && block.text !== '')) return 'text'
  return typeof type === 'string' && type.endsWith('tool_use') ? 'tool_input' : null
}

/** Names under which relays write a piece of thinking. */
const THOUGHTS = ['thinking', 'reasoning', 'reasoning_content', 'text'] as const
const thoughtName = (delta: JsonObject) => THOUGHTS.find((name) => delta[name] !== undefined)

/** Returns a piece of thinking. */
export const thoughtIn = (delta: JsonObject): string => stringOf(delta[thoughtName(delta) ?? 'thinking']) ?? ''

/** Returns the type of a delta, by what it holds if it names none. */
export function deltaType(delta: JsonObject): Json | undefined {
  const name = thoughtName(delta)
  const held = 'partial_json' in delta ? 'input_json_delta' : name === 'text' ? 'text_delta' : name && 'thinking_delta'
  return delta['type'] ?? held
}

/** Returns the blocks of a `content` that arrived in one piece: a list, or the text of one. */
export function toldBlocks(content: Json | undefined, at: number): AssembledBlock[] {
  const told = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
  return told.map((block, index) => ({
    index,
    block: isObject(block) ? block : { type: 'none', raw: block },
    startedAt: at,
    endedAt: at,
  }))
}

/** What tells a block from others. */
const wordsOf = (block: JsonObject): Json => block['text'] ?? block['thinking'] ?? block['id'] ?? block['data'] ?? ''

/** Returns whether a block is more than the empty beginning of one. */
export const saysSomething = ({ block }: AssembledBlock): boolean => wordsOf(block) !== ''

/** Returns the blocks of a stream in order. What its start told and its events repeat counts once. */
export function allBlocks(told: readonly AssembledBlock[], open: ReadonlyMap<number, OpenBlock>): AssembledBlock[] {
  const streamed = [...open.entries()]
    .sort(([left], [right]) => left - right)
    .map(([index, block]) => ({
      index,
      block: closedBlock(block),
      startedAt: block.startedAt,
      endedAt: block.endedAt,
    }))
  if (told.length === 0) return streamed
  const repeated = JSON.stringify(streamed.map(({ block }) => block))
  const first = told.filter(({ block }) => !repeated.includes(JSON.stringify(wordsOf(block)).replaceAll(/^"|"$/g, '')))
  return [
    ...first.map((block, index) => ({ ...block, index })),
    ...streamed.map((block) => ({ ...block, index: block.index + first.length })),
  ]
}

/** Returns the block with its pieces in place. If its start was lost, its pieces show its type. */
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
      // An incomplete input (the stream was cut off in it) stays a text.
      return { ...block.start, ...(type === undefined ? {} : { type }), input: parseJson(block.json) ?? block.json }
  }
}

function lostType(block: OpenBlock): string | undefined {
  if (block.text !== '') return 'text'
  if (block.thinking !== '' || block.signature !== '') return 'thinking'
  return block.compaction === '' ? undefined : 'compaction'
}
