import type { CarriedBlockItem, CarryGroup, CarryList } from '../../../shared/contract/carry.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { serverOf } from '../../ledger/carried-thing.ts'
import {
  blocksOfLine,
  linesOfSession,
  placeOfRequest,
  requestOfLine,
  type BlockCost,
} from '../../store/read/carry-blocks.ts'
import { callsOfTool, carriedEstimate, carriedUnknown, carryTotal, type CarryRange } from '../../store/read/carry.ts'
import type { Reader } from '../../store/read/reader.ts'
import { groupsInRange, named, ranked, totals, unknownOf } from './carry-groups.ts'
import { given } from './given.ts'

const NEVER_CALLED_SHOWN = 100
const NONE = { requests: 0, tokens: 0, usd: 0 }
const NOTHING = { ...NONE, unpriced: 0 }

export const carryList: ReaderHandler<'carry.list'> = (reader, input) => {
  const { by, limit, ...range } = given(input)
  const unknown = carriedUnknown(reader, by, range)
  const groups = ranked(groupsInRange(reader, by, range), unknown)
  const items = named(reader, by, groups.slice(0, limit))
  return {
    by,
    items: by === 'tool' ? items.map((item) => withCalls(reader, item, range)) : items,
    more: groups.length > limit,
    total: carryTotal(reader, range) ?? NOTHING,
    estimated: carriedEstimate(reader, range) ?? NONE,
    unknown: unknownOf(unknown),
    never_called: neverCalled(reader, range),
  }
}

const withCalls = (reader: Reader, item: CarryGroup, range: CarryRange): CarryGroup =>
  item.key === null ? item : { ...item, calls: callsOfTool(reader, item.key, range) }

/** Finds MCP tools whose definitions were carried and that were not called. */
function neverCalled(reader: Reader, range: CarryRange): CarryList['never_called'] {
  const definitions = ranked(groupsInRange(reader, 'mcp_definition', range), [])
  const unused = definitions.flatMap(({ key: tool, requests, usd }) =>
    tool === null || callsOfTool(reader, tool, range, 1) > 0 ? [] : [{ tool, server: serverOf(tool), requests, usd }],
  )
  return {
    tools: unused.length,
    usd: unused.reduce((sum, { usd }) => sum + usd, 0),
    items: unused.slice(0, NEVER_CALLED_SHOWN),
  }
}

export const carrySession: ReaderHandler<'carry.session'> = (reader, input) => {
  const { limit, exchange, ...range } = given(input)
  const unknown = carriedUnknown(reader, 'kind', range)
  const place = exchange === undefined ? undefined : placeOfRequest(reader, exchange)
  const lines = linesOfSession(reader, range.session_id)
  const blocks = (exchange === undefined ? lines : lines.filter(({ line_id: id }) => id === place?.line_id))
    .flatMap((line) => blocksOfLine(reader, line, range))
    .filter(({ first, last }) => place === undefined || (first <= place.number && (last ?? Infinity) >= place.number))
    .sort((one, other) => usdOf(other) - usdOf(one))
  return {
    session_id: range.session_id,
    items: blocks.slice(0, limit).map((block) => blockItem(reader, block)),
    more: blocks.length > limit,
    by_kind: named(reader, 'kind', ranked(groupsInRange(reader, 'kind', range), unknown)),
    total: carryTotal(reader, range) ?? NOTHING,
    estimated: carriedEstimate(reader, range) ?? NONE,
    unknown: unknownOf(unknown),
  }
}

const usdOf = (row: BlockCost): number => row.read_usd + row.written_usd + row.uncached_usd

function blockItem(reader: Reader, row: BlockCost): CarriedBlockItem {
  const request = (number: number | null) => {
    const found = requestOfLine(reader, row.line.line_id, number)
    return { exchange: found?.exchange ?? null, ts_wall: new Date(found?.sent_at ?? 0).toISOString() }
  }
  return {
    kind: row.kind,
    tool: row.tool,
    server: row.server,
    name: row.name,
    agent_id: row.line.agent_id,
    turn_id: row.turn_id,
    bytes: row.bytes,
    entered: { ...request(row.first), position: row.position },
    last: request(row.last),
    ended: row.last !== null,
    ...totals(row),
  }
}
