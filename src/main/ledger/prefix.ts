import type { Json } from '../../shared/event.ts'
import type { RequestShape, ShapeBlock, ShapeMessage } from '../../shared/request-shape.ts'
import type { CacheCause } from '../../shared/cache-causes.ts'
import { changedBorders } from './block-borders.ts'
import { blockCount, totalOf, weightOf } from './carried-thing.ts'
import {
  contentOf,
  divergenceOf,
  isUnsplit,
  marksOf,
  unseenIn,
  type Divergence,
  type Mark,
  type RequestBlocks,
} from './request-blocks.ts'
import { toolChanges } from './tool-changes.ts'

/** Blocks before a breakpoint, itself included, in which the API looks for an earlier entry. */
export const LOOKBACK_BLOCKS = 20

interface Between {
  readonly compacted: boolean
  readonly resumed: 'resume' | 'fork' | null
}

/** Explains a miss by the first difference between two requests; null if the cached prefix is equal. */
export function explainDivergence(before: RequestBlocks, now: RequestBlocks, between: Between): CacheCause | null {
  const difference = divergenceOf(before, now)
  const [oldMarks, marks] = [marksOf(before), marksOf(now)]
  const cachedTo = oldMarks.at(-1)?.position ?? unmarkedEnd(before)
  const inPrefix = difference !== null && difference.position <= cachedTo ? difference : null
  const equal = inPrefix === null ? cachedTo : inPrefix.position - 1
  const moved = changedMark(oldMarks, marks, Math.min(before.tools.length + before.system.length - 1, equal))
  if (moved !== null) return { kind: 'marks_changed', ...moved }
  if (inPrefix?.list === 'tools')
    return { kind: 'tools_changed', where: `tools[${inPrefix.at}]`, detail: toolChanges(before.tools, now.tools) }
  const parameter = changedParameter(before.shape, now.shape)
  if (parameter !== null) return { kind: 'parameters_changed', ...parameter }
  if (inPrefix === null) return null
  const place = placeOf(inPrefix)
  const detail = describe(before, now, inPrefix)
  if (between.compacted) return { kind: 'compaction', where: place, detail: null }
  if (between.resumed !== null) return { kind: 'resumed', where: place, detail: `${between.resumed}: ${detail}` }
  // Stored whole, a message differs by a mark that moved, or by the version that recorded it.
  const differing = inPrefix.list === 'messages' ? [before.messages[inPrefix.at], now.messages[inPrefix.at]] : []
  if (differing.some((message) => message !== undefined && isUnsplit(message))) return null
  return { kind: inPrefix.list === 'system' ? 'system_changed' : 'messages_changed', where: place, detail }
}

/** Explains a miss on an equal prefix: no breakpoint is near enough to the entry. */
export function explainReach(before: RequestBlocks, now: RequestBlocks): CacheCause | null {
  const entry = marksOf(before).at(-1)
  const marks = marksOf(now)
  if (entry === undefined) return null
  const behind = marks.filter(({ position }) => position >= entry.position)
  const nearest = behind[0]
  if (nearest === undefined)
    return { kind: 'marks_changed', where: marks.at(-1)?.pointer ?? null, detail: `no mark after ${entry.pointer}` }
  const distance = nearest.position - entry.position
  if (finds(nearest.position, entry.position)) return null
  const detail = `the entry is ${distance} blocks before the next mark; the API looks at ${LOOKBACK_BLOCKS}`
  return { kind: 'lookback_exceeded', where: nearest.pointer, detail }
}

type Found = Pick<CacheCause, 'where' | 'detail'>

/**
 * Compares the marks on tools and system blocks, up to the position `fixed`. A removed mark matters only if no other is
 * near enough to find its entry.
 */
function changedMark(oldMarks: readonly Mark[], marks: readonly Mark[], fixed: number): Found | null {
  for (const old of oldMarks) {
    if (old.position > fixed) break
    const same = marks.find(({ position }) => position === old.position)
    if (same !== undefined && same.value !== old.value)
      return { where: same.pointer, detail: `${old.value} → ${same.value}` }
    if (!marks.some(({ position }) => finds(position, old.position)))
      return { where: old.pointer, detail: `removed: ${old.value}` }
  }
  const pair = lastOnMessages(oldMarks, marks)
  if (pair === null || pair.old.value === pair.now.value) return null
  return { where: pair.now.pointer, detail: `${pair.old.value} → ${pair.now.value}` }
}

/** Returns the last mark of both requests if both are on messages. */
function lastOnMessages(oldMarks: readonly Mark[], marks: readonly Mark[]) {
  const [old, now] = [oldMarks.at(-1), marks.at(-1)]
  if (old === undefined || now === undefined) return null
  return old.pointer.startsWith('/messages') && now.pointer.startsWith('/messages') ? { old, now } : null
}

/**
 * Explains a miss by a changed lifetime of a breakpoint: one that both requests have on tools or system, or the last
 * one on messages. The API does not document that the lifetime matters, so this counts only if nothing else explains
 * the miss.
 */
export function explainLife(before: RequestBlocks, now: RequestBlocks): CacheCause | null {
  const [oldMarks, marks] = [marksOf(before), marksOf(now)]
  const fixed = before.tools.length + before.system.length
  const onBoth = oldMarks.flatMap((old) => {
    const same = old.position < fixed ? marks.find(({ position }) => position === old.position) : undefined
    return same === undefined ? [] : [{ old, now: same }]
  })
  const last = lastOnMessages(oldMarks, marks)
  const found = [...onBoth, ...(last === null ? [] : [last])].find((pair) => pair.old.ttl !== pair.now.ttl)
  if (found === undefined) return null
  return { kind: 'marks_changed', where: found.now.pointer, detail: `${found.old.ttl} → ${found.now.ttl}` }
}

/** True if a breakpoint finds an entry that ends at a position. */
const finds = (mark: number, entry: number): boolean => mark >= entry && mark - entry < LOOKBACK_BLOCKS

/** Without a breakpoint the API chose what to keep, which may be all of the request. */
const unmarkedEnd = (request: RequestBlocks): number => (unseenIn(request) === null ? blockCount(request) - 1 : -1)

function changedParameter(one: RequestShape, other: RequestShape): Found | null {
  if (one.partial === true || other.partial === true) return null
  const [before, now] = [one.parameters, other.parameters]
  const names = new Set([...Object.keys(before), ...Object.keys(now)])
  for (const name of [...names].sort()) {
    const [from, to] = [before[name], now[name]].map((value: Json | undefined) => JSON.stringify(value ?? null))
    if (from !== to) return { where: name, detail: `${from} → ${to}` }
  }
  return null
}

const placeOf = ({ list, at, block }: Divergence): string =>
  list === 'messages' ? `messages[${at}].content[${block}]` : `${list}[${at}]`

function describe(before: RequestBlocks, now: RequestBlocks, { list, at, block }: Divergence): string {
  if (list === 'tools') return toolChanges(before.tools, now.tools)
  const [old, current] =
    list === 'system'
      ? [before.system[at], now.system[at]]
      : [before.messages[at]?.blocks[block], now.messages[at]?.blocks[block]]
  if (list === 'messages') {
    const [one, other] = [before.messages[at], now.messages[at]]
    const [next] = before.messages.slice(at + 1)
    if (block === 0 && isSameMessage(next, other)) return `removed: message of role ${one?.role ?? 'none'}`
    if (one?.role !== other?.role) return `role ${one?.role ?? 'none'} → ${other?.role ?? 'none'}`
    if (one?.frame?.hash !== other?.frame?.hash) return 'changed: a field of the message'
    if (one?.plain !== other?.plain) return other?.plain === true ? 'blocks → string' : 'string → blocks'
  }
  const borders =
    list === 'system'
      ? changedBorders(before.system, now.system)
      : changedBorders(before.messages[at]?.blocks ?? [], now.messages[at]?.blocks ?? [])
  if (borders !== null) return borders
  const isIn = (request: RequestBlocks, wanted: ShapeBlock | undefined) =>
    wanted !== undefined &&
    (list === 'system' ? request.system : request.messages.flatMap(({ blocks }) => blocks)).some(
      (block) => contentOf(block) === contentOf(wanted),
    )
  if (isIn(now, old)) return `moved: ${label(old)}`
  if (old === undefined || isIn(before, current))
    return old === undefined ? `added: ${label(current)}` : `removed: ${label(old)}`
  if (current === undefined) return `removed: ${label(old)}`
  return `changed: ${label(old)} → ${label(current)}`
}

/** True if two messages say the same, in the same blocks. */
export const isSameMessage = (one: ShapeMessage | undefined, other: ShapeMessage | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.role === other.role &&
  one.blocks.length === other.blocks.length &&
  one.blocks.every((block, at) => contentOf(block) === contentOf(other.blocks[at] ?? block))

function label(block: ShapeBlock | undefined): string {
  if (block === undefined) return 'nothing'
  const name = block.tool === undefined ? block.kind : `${block.kind} ${block.tool}`
  return block.bytes === null ? name : `${name}, ${block.bytes} bytes`
}

/**
 * True if a request went back to an earlier point of its conversation, or began another: it is not longer than the
 * previous one, and nothing that was said after the difference was said before, so it could not have been cached. If tools
 * or system differ, it is another conversation only if it shares nothing that was said with the previous one.
 */
export function isBranch(before: RequestBlocks, now: RequestBlocks): boolean {
  const difference = divergenceOf(before, now)
  if (difference === null) return false
  const isInMessages = difference.list === 'messages'
  if (isInMessages && now.messages.length > before.messages.length) return false
  const [from, block] = isInMessages ? [difference.at, difference.block] : [0, 0]
  const seen = new Set(before.messages.slice(from).flatMap((message) => saidIn(message).map(contentOf)))
  const said = now.messages.slice(from).flatMap((message, index) => saidIn(message, index === 0 ? block : 0))
  const again = said.filter((each) => seen.has(contentOf(each)))
  return again.every((each) => weightOf(each) < SHORT_TOKENS) && totalOf(again) * 2 <= totalOf(said)
}

/** So short a text, such as "continue", may be said twice in different places. */
const SHORT_TOKENS = 16

/** Origins of what people, models and tools say; clients repeat their other texts in every conversation. */
const SAID: ReadonlySet<string | undefined> = new Set([
  undefined,
  'prompt',
  'answer',
  'thinking',
  'file_read',
  'summary',
])

const saidIn = ({ role, blocks }: ShapeMessage, from = 0): readonly ShapeBlock[] =>
  role === 'system' ? [] : blocks.slice(from).filter(({ origin }) => SAID.has(origin))
