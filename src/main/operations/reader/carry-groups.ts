import { SKILL_LIST, type CarryGroup, type CarryList } from '../../../shared/contract/carry.ts'
import { blocksOfLine, overheadOfLine, type BlockCost } from '../../store/read/carry-blocks.ts'
import { carryLabel } from '../../store/read/carry-labels.ts'
import {
  carriedGroups,
  partialLines,
  type CarryBy,
  type CarryGroupRow,
  type CarryRange,
  type UnknownRow,
  type CarrySums,
} from '../../store/read/carry.ts'
import type { Reader } from '../../store/read/reader.ts'

/** Sums the cost of blocks by group: from stored sums for lines entirely in the range, else block by block. */
export function groupsInRange(reader: Reader, by: CarryBy, range: CarryRange): CarryGroupRow[] {
  const found = new Map<string | null, CarryGroupRow>()
  const add = (row: CarryGroupRow) => {
    const known = found.get(row.key)
    found.set(row.key, known === undefined ? row : sumOf(known, row))
  }
  for (const row of carriedGroups(reader, by, range)) add(row)
  for (const line of partialLines(reader, range)) {
    reader.budget.check()
    for (const block of blocksOfLine(reader, line, range))
      add({ ...block, key: KEYS[by](block), in_session: line.session_id, blocks: 1, bytes: block.bytes ?? 0 })
    for (const { turn_id: turn, requests, tokens, usd } of overheadOfLine(reader, line, range)) {
      const key = KEYS[by]({ line, turn_id: turn, ...OVERHEAD })
      add({ ...NOTHING, requests, uncached_tokens: tokens, uncached_usd: usd, key, in_session: line.session_id })
    }
  }
  return [...found.values()]
}

const OVERHEAD = { kind: 'overhead', tool: null, server: null, name: null }

type Keyed = Pick<BlockCost, 'line' | 'turn_id' | 'kind' | 'tool' | 'server' | 'name'>

const KEYS: Readonly<Record<CarryBy, (block: Keyed) => string | null>> = {
  kind: ({ kind }) => kind,
  tool: ({ tool }) => tool,
  mcp_server: ({ server }) => server,
  file: ({ kind, name }) => (kind === 'skill' ? null : name),
  skill: ({ kind, name }) => (kind === 'skill' ? (name ?? SKILL_LIST) : null),
  agent: ({ line }) => line.agent_id,
  prompt: ({ line, turn_id: turn }) => `${line.session_id}/${turn}`,
  session: ({ line }) => line.session_id,
  project: ({ line }) => line.project,
  mcp_definition: ({ kind, server, tool }) => (kind === 'tool_schema' && server !== null ? tool : null),
}

const FIGURES = [
  ...(['blocks', 'bytes', 'requests', 'read_tokens', 'read_usd'] as const),
  ...(['written_tokens', 'written_usd', 'uncached_tokens', 'uncached_usd'] as const),
]

const sumOf = (one: CarryGroupRow, other: CarryGroupRow): CarryGroupRow => ({
  ...one,
  ...Object.fromEntries(FIGURES.map((name) => [name, one[name] + other[name]])),
})

type Ranked = Omit<CarryGroup, 'label' | 'session_id' | 'turn_id'> & { readonly in_session: string }

/** Adds requests whose blocks are not known to the groups, and puts the most expensive first. */
export function ranked(groups: readonly CarryGroupRow[], unknown: readonly UnknownRow[]): readonly Ranked[] {
  const found = new Map(groups.map((row) => [row.key, row]))
  for (const { key, in_session, requests, tokens, usd } of unknown) {
    const added = { ...NOTHING, key, in_session, requests, uncached_tokens: tokens, uncached_usd: usd }
    const known = found.get(key)
    found.set(key, known === undefined ? added : sumOf(known, added))
  }
  return [...found.values()]
    .map(({ key, in_session, blocks, bytes, ...row }) => ({ key, in_session, blocks, bytes, ...totals(row) }))
    .sort((one, other) => other.usd - one.usd || other.tokens - one.tokens)
}

const NOTHING = {
  blocks: 0,
  bytes: 0,
  read_tokens: 0,
  read_usd: 0,
  written_tokens: 0,
  written_usd: 0,
}

/**
 * Adds up the classes. Reads of a closed block are a difference of sums, which can be slightly negative instead of
 * zero.
 */
export function totals(row: CarrySums) {
  const [readTokens, readUsd] = [Math.max(0, row.read_tokens), Math.max(0, row.read_usd)]
  return {
    requests: row.requests,
    tokens: readTokens + row.written_tokens + row.uncached_tokens,
    read_tokens: readTokens,
    written_tokens: row.written_tokens,
    uncached_tokens: row.uncached_tokens,
    usd: readUsd + row.written_usd + row.uncached_usd,
    read_usd: readUsd,
    written_usd: row.written_usd,
    uncached_usd: row.uncached_usd,
  }
}

/** Names groups to be shown. */
export const named = (reader: Reader, by: CarryBy, groups: readonly Ranked[]): CarryGroup[] =>
  groups.map((group) => {
    const { in_session: _, ...shown } = group
    return { ...shown, ...carryLabel(reader, by, group) }
  })

/** Sums the input whose blocks are not known, by reason. */
export function unknownOf(rows: readonly UnknownRow[]): CarryList['unknown'] {
  const sums = (some: readonly UnknownRow[]) => {
    const add = (field: 'requests' | 'tokens' | 'usd') => some.reduce((sum, row) => sum + row[field], 0)
    return { requests: add('requests'), tokens: add('tokens'), usd: add('usd') }
  }
  // The projection writes no other reasons.
  const reasons = [...Map.groupBy(rows, ({ reason }) => reason as CarryList['unknown']['reasons'][number]['reason'])]
  return { ...sums(rows), reasons: reasons.map(([reason, own]) => ({ reason, ...sums(own) })) }
}
