import type { AspyEvent } from '../../../shared/event.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import { READING_TOOLS } from '../../decode/client/file-tools.ts'
import { blockCount, blocksFrom, CarriedThings, weightOf, type PlacedBlock } from '../../ledger/carried-thing.ts'
import { addRequest, NO_SUMS } from '../../ledger/carry-account.ts'
import { chargesOf } from '../../ledger/class-rates.ts'
import { chargeAt, splitByClass } from '../../ledger/class-split.ts'
import type { InputTokens } from '../../ledger/missed.ts'
import { divergenceOf, marksOf, type RequestBlocks } from '../../ledger/request-blocks.ts'
import type { CostParts } from '../pricing/pricing.ts'
import { CarryGroups, type LineGroups } from './carry-groups.ts'
import { CarryWeeks } from './carry-weeks.ts'
import { CarryRows, type LineRow, type RowBlock } from './carry-rows.ts'
import type { ProjectionContext } from './projection.ts'

/** An answered request whose blocks are known, or estimated. */
export interface KnownCall {
  readonly event: AspyEvent<'api_usage'>
  readonly line: string
  /** uuid of the request; of one that was not captured, of its usage. */
  readonly request: string
  /** Milliseconds since 1970. */
  readonly sentAt: number
  readonly usage: InputTokens
  /** Null if the model has no price. */
  readonly usd: CostParts | null
  readonly blocks: RequestBlocks
  /** Why its blocks are estimated; null: they are known. */
  readonly reason: string | null
}

/** Lines whose blocks stay in memory. */
const LINES_KEPT = 100

interface OpenLine {
  /** The number of the request after which this was noted. */
  requests: number
  readonly groups: LineGroups
  readonly blocks: RowBlock[]
  /** The tokens before each block, with the sum of all at the end. */
  before: number[]
}

/** Follows the lines of requests: which blocks each request carries on, charges again, drops and adds. */
export class CarryLines {
  readonly #blocksOf: (uuid: string) => RequestBlocks | null
  readonly #rows: CarryRows
  readonly #groups: CarryGroups
  readonly #weeks: CarryWeeks
  readonly #open = new RecentlyUsed<number, OpenLine>(LINES_KEPT)

  /** `blocksOf` returns the blocks of an earlier request. */
  constructor(context: ProjectionContext, blocksOf: (uuid: string) => RequestBlocks | null) {
    this.#blocksOf = blocksOf
    this.#rows = new CarryRows(context)
    this.#groups = new CarryGroups(context)
    this.#weeks = new CarryWeeks(context)
  }

  flush(): void {
    this.#groups.flush()
    this.#weeks.flush()
  }

  discard(): void {
    this.#open.clear()
    this.#groups.discard()
    this.#weeks.discard()
  }

  add(call: KnownCall): void {
    const { event, line, blocks, usage, usd } = call
    const row = this.#rows.line(event.session_id, event.agent_id, line)
    const lineId = row?.line_id ?? event.id
    this.#weeks.begin(lineId)
    const open = this.#openLine(lineId, row)
    const before = row === undefined ? null : this.#blocksOf(row.request_uuid)
    const kept = before === null ? 0 : Math.min(sameBlocks(before, blocks), open.blocks.length)
    const added = blocksFrom(blocks, kept)
    const weights = addedTo(open.before.slice(0, kept + 1), added)
    const split = splitByClass({
      usage,
      marks: marksOf(blocks),
      entries: before === null ? [] : marksOf(before).map(({ position }) => position + 1),
      last: row === undefined || row.cached_blocks > kept ? null : lastEntry(row),
      before: weights,
    })
    const { rates, rest } = chargesOf(split, weights, usage, usd)
    const number = (row?.requests ?? 0) + 1
    for (const block of open.blocks.slice(kept)) this.#rows.close(block, number - 1)
    // Blocks that are read as before do not change any group.
    for (const { accounts } of open.blocks.slice(Math.min(split.read, kept))) open.groups.touch(accounts)
    const things = new CarriedThings(blocks, READING_TOOLS)
    const entering = added.map((placed, index): RowBlock => {
      const weight = weightOf(placed.block)
      const rate = rates[chargeAt(split, kept + index)]
      const { bytes } = placed.block
      const group = open.groups.ofThing(things.of(placed), bytes)
      const turn = open.groups.ofTurn(event.turn_id, bytes)
      const tokens = rate.tokens > 0 ? weight * rate.tokens : weight
      const place = { event_id: event.id, position: kept + index, tokens }
      return { ...place, group_number: group.number, turn_number: turn.number, accounts: [group, turn] }
    })
    const sums = addRequest(open.blocks, row ?? NO_SUMS, { kept, split, rates }, entering)
    for (const { accounts } of entering) open.groups.touch(accounts)
    for (const [index, block] of entering.entries())
      this.#rows.open(block, { lineId, first: number, bytes: added[index]?.block.bytes ?? null })
    open.groups.addRest(event.turn_id, rest)
    open.before = weights.slice(0, kept + 1)
    for (const { tokens } of entering) open.before.push((open.before.at(-1) ?? 0) + tokens)
    open.requests = number
    this.#rows.note(call, row, { lineId, kept, split, rates, rest, sums })
  }

  #openLine(lineId: number, row: LineRow | undefined): OpenLine {
    const known = this.#open.get(lineId)
    if (known !== undefined && known.requests === (row?.requests ?? 0)) return known
    const groups = this.#groups.ofLine(lineId)
    const blocks = row === undefined ? [] : this.#rows.openBlocks(lineId, groups)
    const before = [0]
    for (const { tokens } of blocks) before.push((before.at(-1) ?? 0) + tokens)
    const open = { requests: row?.requests ?? 0, groups, blocks, before }
    this.#open.set(lineId, open)
    return open
  }
}

const lastEntry = ({ cached_blocks: end, cached_tokens: tokens }: LineRow) => ({ end, tokens })

/** Counts the blocks that both requests begin with. */
function sameBlocks(before: RequestBlocks, now: RequestBlocks): number {
  return divergenceOf(before, now)?.position ?? Math.min(blockCount(before), blockCount(now))
}

function addedTo(before: number[], added: readonly PlacedBlock[]): number[] {
  for (const { block } of added) before.push((before.at(-1) ?? 0) + weightOf(block))
  return before
}
