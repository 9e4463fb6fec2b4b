import type { ShapeBlock } from '../../shared/request-shape.ts'
import { contentOf, type RequestBlocks } from './request-blocks.ts'

/** A run of equal blocks, or one block that differs. */
export interface BlockChange {
  readonly change: 'equal' | 'added' | 'removed' | 'changed' | 'moved'
  readonly at: string
  readonly blocks: number
  readonly before?: ShapeBlock
  readonly after?: ShapeBlock
}

interface Placed {
  readonly at: string
  readonly block: ShapeBlock
}

/** Compares two requests in the order in which the cache reads them. Equal neighbours are one entry. */
export function diffBlocks(before: RequestBlocks, now: RequestBlocks): readonly BlockChange[] {
  const changes = [
    ...diffList(placed('tools', before.tools), placed('tools', now.tools), byName),
    ...diffList(placed('system', before.system), placed('system', now.system), () => null),
    ...diffList(messages(before), messages(now), () => null),
  ]
  const folded: BlockChange[] = []
  for (const change of changes) {
    const last = folded.at(-1)
    if (change.change === 'equal' && last?.change === 'equal')
      folded.splice(-1, 1, { ...last, blocks: last.blocks + 1 })
    else folded.push(change)
  }
  return folded
}

function diffList(before: readonly Placed[], now: readonly Placed[], nameOf: (block: ShapeBlock) => string | null) {
  let start = 0
  while (start < Math.min(before.length, now.length) && isEqual(before[start], now[start])) start += 1
  let end = 0
  const most = Math.min(before.length, now.length) - start
  while (end < most && isEqual(before[before.length - 1 - end], now[now.length - 1 - end])) end += 1
  const equal = ({ at, block }: Placed): BlockChange => ({
    change: 'equal',
    at,
    blocks: 1,
    before: block,
    after: block,
  })
  return [
    ...now.slice(0, start).map(equal),
    ...differences(before.slice(start, before.length - end), now.slice(start, now.length - end), nameOf),
    ...now.slice(now.length - end).map(equal),
  ]
}

function differences(before: readonly Placed[], now: readonly Placed[], nameOf: (block: ShapeBlock) => string | null) {
  const left = new Map(before.map((entry) => [contentOf(entry.block), entry]))
  const gone = before.filter(({ block }) => !now.some((other) => contentOf(other.block) === contentOf(block)))
  const changes = now.map(({ at, block }, index): BlockChange => {
    const same = left.get(contentOf(block))
    if (same !== undefined)
      return { change: same.at === at ? 'equal' : 'moved', at, blocks: 1, before: same.block, after: block }
    const name = nameOf(block)
    const partner = gone.findIndex((other) => (name === null ? other === before[index] : nameOf(other.block) === name))
    if (partner < 0) return { change: 'added', at, blocks: 1, after: block }
    const [old] = gone.splice(partner, 1)
    return { change: 'changed', at, blocks: 1, ...(old ? { before: old.block } : {}), after: block }
  })
  return [
    ...changes,
    ...gone.map(({ at, block }): BlockChange => ({ change: 'removed', at, blocks: 1, before: block })),
  ]
}

const isEqual = (one: Placed | undefined, other: Placed | undefined) =>
  one !== undefined && other !== undefined && contentOf(one.block) === contentOf(other.block)
const byName = ({ tool }: ShapeBlock): string | null => tool ?? null
const placed = (list: string, blocks: readonly ShapeBlock[]): readonly Placed[] =>
  blocks.map((block, at) => ({ at: `${list}[${at}]`, block }))
const messages = ({ messages: list }: RequestBlocks): readonly Placed[] =>
  list.flatMap(({ blocks, frame }, at) => [
    ...(frame === undefined ? [] : [{ at: `messages[${at}]`, block: frame }]),
    ...placed(`messages[${at}].content`, blocks),
  ])
