import type { Json } from '../../shared/event.ts'
import type { RequestShape, ShapeBlock, ShapeMessage } from '../../shared/request-shape.ts'

/** A request with all its blocks, in the order in which the cache reads them: tools, system, messages. */
export interface RequestBlocks {
  readonly tools: readonly ShapeBlock[]
  readonly system: readonly ShapeBlock[]
  readonly messages: readonly ShapeMessage[]
  readonly shape: RequestShape
}

/** Identifies what the model reads of a block. */
export const contentOf = ({ content, hash }: ShapeBlock): string => content ?? hash

/** A cache breakpoint: the position of its block in that order, and its `cache_control`. */
export interface Mark {
  readonly position: number
  readonly pointer: string
  readonly ttl: '5m' | '1h'
  /** The whole `cache_control` as JSON, without its lifetime. */
  readonly value: string
}

/** Restores a request from its shape; null if it builds on a request that is not known. */
export function resolveShape(shape: RequestShape, base: RequestBlocks | null): RequestBlocks | null {
  const needsBase = shape.keep > 0 || shape.system === undefined || shape.tools === undefined
  if (needsBase && (base === null || base.messages.length < shape.keep)) return null
  return {
    tools: shape.tools ?? base?.tools ?? [],
    system: shape.system ?? base?.system ?? [],
    messages: [...(base?.messages.slice(0, shape.keep) ?? []), ...shape.add],
    shape,
  }
}

/** Returns the cache breakpoints in order. */
export function marksOf({ tools, system, messages, shape }: RequestBlocks): readonly Mark[] {
  const marks = Object.entries(shape.marks)
  if (marks.length === 0) return []
  const starts: number[] = []
  let length = tools.length + system.length
  for (const { blocks } of messages) {
    starts.push(length)
    length += blocks.length
  }
  const positionOf = (pointer: string): number | null => {
    if (pointer === '') return length - 1
    const [, list, at, field, block] = pointer.split('/')
    if (list === 'tools') return Number(at)
    if (list === 'system') return tools.length + Number(at)
    const start = starts[Number(at)]
    if (list !== 'messages' || start === undefined) return null
    // A mark on a message itself is at its end; one on content that is not a list is on its only block.
    if (field !== 'content') return start + (messages[Number(at)]?.blocks.length ?? 0) - 1
    const inside = Number(block ?? 0)
    return Number.isNaN(inside) ? start : start + inside
  }
  return marks
    .flatMap(([pointer, value]): Mark[] => {
      const position = positionOf(pointer)
      if (position === null || !Number.isInteger(position)) return []
      return [{ position, pointer, ttl: ttlOf(value), value: valueOf(value) }]
    })
    .sort((one, other) => one.position - other.position)
}

const ttlOf = (value: Json): '5m' | '1h' =>
  typeof value === 'object' && value !== null && 'ttl' in value && value.ttl === '1h' ? '1h' : '5m'

function valueOf(value: Json): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const entries = Object.entries(value).filter(([name]) => name !== 'ttl')
  return JSON.stringify(Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1))))
}

/** True if a message was stored as one block, with its role and its marks: earlier versions did so. */
export const isUnsplit = ({ role, frame, blocks }: ShapeMessage): boolean =>
  role === '' && frame === undefined && blocks[0]?.kind === 'unknown'

/**
 * Returns what is missing from the record of a request, which may hide breakpoints or differences. Null if it has all
 * of its blocks and settings.
 */
export function unseenIn({ messages, shape }: RequestBlocks): string | null {
  if (shape.partial === true) return 'was recorded without its betas and parameters'
  const whole = messages.findIndex(isUnsplit)
  return whole < 0 ? null : `was recorded with messages[${whole}] as one block`
}

/** The place of the first block in which two requests differ. */
export interface Divergence {
  readonly list: 'tools' | 'system' | 'messages'
  /** Index of the tool, system block or message. */
  readonly at: number
  /** Index of the block in its message. */
  readonly block: number
  /** Number of blocks before it, in both. */
  readonly position: number
}

/** Finds where `now` stops repeating `before`; null if one is a beginning of the other. */
export function divergenceOf(before: RequestBlocks, now: RequestBlocks): Divergence | null {
  let position = 0
  for (const list of ['tools', 'system'] as const) {
    const at = firstDifference(before[list], now[list])
    if (at !== null) return { list, at, block: 0, position: position + at }
    position += now[list].length
  }
  const limit = Math.min(before.messages.length, now.messages.length)
  for (let at = 0; at < limit; at += 1) {
    const [one, other] = [before.messages[at], now.messages[at]]
    if (one === undefined || other === undefined) break
    const shorter = one.blocks.length < other.blocks.length ? before : now
    const block = one === other ? null : differenceInMessage(one, other, at === shorter.messages.length - 1)
    if (block !== null) return { list: 'messages', at, block, position: position + block }
    position += other.blocks.length
  }
  return null
}

/** A list of tools or system blocks that ends early differs there: the rest of the request is different. */
function firstDifference(before: readonly ShapeBlock[], now: readonly ShapeBlock[]): number | null {
  if (before === now) return null
  const length = Math.max(before.length, now.length)
  for (let at = 0; at < length; at += 1) if (!isSame(before[at], now[at])) return at
  return null
}

/** A client's description of itself in its system prompt changes with each request and does not affect the cache. */
function isSame(one: ShapeBlock | undefined, other: ShapeBlock | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return contentOf(one) === contentOf(other) || (one.kind === 'client_header' && other.kind === 'client_header')
}

/** A message that has fewer blocks is a beginning of the other only at the end of its request. */
function differenceInMessage(before: ShapeMessage, now: ShapeMessage, isEnd: boolean): number | null {
  if (before.role !== now.role || before.plain !== now.plain || before.frame?.hash !== now.frame?.hash) return 0
  const [fewer, more] = [before.blocks.length, now.blocks.length].sort((a, b) => a - b)
  for (const [at, block] of before.blocks.slice(0, fewer).entries()) {
    const other = now.blocks[at]
    if (other === undefined || contentOf(block) !== contentOf(other)) return at
  }
  return fewer === more || isEnd ? null : (fewer ?? 0)
}
