import type { LineBlock, LineSums } from '../../ledger/carry-account.ts'
import { CHARGES, type ClassSplit } from '../../ledger/class-split.ts'
import type { Rate, Rates } from '../../ledger/class-rates.ts'
import { promptTokens } from '../../ledger/missed.ts'
import type { LineGroups } from './carry-groups.ts'
import type { KnownCall } from './carry-lines.ts'
import type { ProjectionContext } from './projection.ts'

/** A row of `carry_lines`. */
export interface LineRow extends LineSums {
  readonly line_id: number
  readonly request_uuid: string
  readonly first_at: number
  readonly last_at: number
  readonly cached_blocks: number
  readonly cached_tokens: number
}

/** A row of `carried`, with its groups. */
export interface RowBlock extends LineBlock {
  readonly event_id: number
  readonly position: number
  readonly group_number: number
  readonly turn_number: number
}

/** Effects of a request on its line. */
interface Noted {
  readonly lineId: number
  readonly kept: number
  readonly split: ClassSplit
  readonly rates: Rates
  readonly rest: Rate
  readonly sums: LineSums
}

const STATE = [
  'request_uuid',
  'first_at',
  'last_at',
  'cached_blocks',
  'cached_tokens',
  'requests',
  'read_tokens',
  'read_usd',
]
const RATES = CHARGES.flatMap((name) => [`${name}_tokens`, `${name}_usd`])
const CALL = [
  'event_id',
  'line_id',
  'number',
  'sent_at',
  'input_tokens',
  'input_usd',
  'rest_tokens',
  'rest_usd',
  'kept',
  'reason',
]
const ENDS = ['read_end', 'written_1h_end', 'cached_end']

/** Reads and writes lines, requests and blocks. */
export class CarryRows {
  readonly #line
  readonly #blocks
  readonly #insert
  readonly #close
  readonly #insertCall
  readonly #upsertLine

  constructor({ prepare, tables: t }: Pick<ProjectionContext, 'prepare' | 'tables'>) {
    this.#line = prepare<[string, string | null, string], LineRow>(
      `SELECT line_id, ${STATE.join(', ')} FROM ${t.carry_lines} WHERE session_id = ? AND agent_id IS ? AND line = ? LIMIT 1`,
    )
    this.#blocks = prepare<[number], Omit<RowBlock, 'accounts'>>(
      `SELECT event_id, position, group_number, turn_number, tokens FROM ${t.carried}
       WHERE line_id = ? AND last IS NULL ORDER BY first, position`,
    )
    this.#insert = prepare<[number, number, number, number, number, number | null, number, number]>(
      `INSERT INTO ${t.carried} (event_id, position, line_id, group_number, turn_number, bytes, tokens, first)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#close = prepare<[number, number, number]>(
      `UPDATE ${t.carried} SET last = ? WHERE event_id = ? AND position = ?`,
    )
    const call = [...CALL, ...ENDS, ...RATES]
    this.#insertCall = prepare(
      `INSERT OR REPLACE INTO ${t.carry_calls} (${call.join(', ')}) VALUES (${call.map(() => '?').join(', ')})`,
    )
    this.#upsertLine = prepare(
      `INSERT INTO ${t.carry_lines} (line_id, session_id, agent_id, line, ${STATE.join(', ')})
       VALUES (?, ?, ?, ?, ${STATE.map(() => '?').join(', ')})
       ON CONFLICT (line_id) DO UPDATE SET ${STATE.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    )
  }

  line(session: string, agent: string | null, line: string): LineRow | undefined {
    return this.#line.get(session, agent, line)
  }

  /** Returns the blocks that the last request of a line had, in its order. */
  openBlocks(line: number, groups: LineGroups): RowBlock[] {
    return this.#blocks
      .all(line)
      .map((row) => ({ ...row, accounts: groups.numbered(row.group_number, row.turn_number) }))
  }

  open(block: RowBlock, { lineId, first, bytes }: { lineId: number; first: number; bytes: number | null }): void {
    const { event_id: event, position, group_number: group, turn_number: turn, tokens } = block
    this.#insert.run(event, position, lineId, group, turn, bytes, tokens, first)
  }

  /** Ends a block with the request of number `last`. */
  close({ event_id: event, position }: RowBlock, last: number): void {
    this.#close.run(last, event, position)
  }

  /** Stores a request and the state of its line after it. */
  note(call: KnownCall, before: LineRow | undefined, { lineId, kept, split, rates, rest, sums }: Noted): void {
    const { event, usage, usd, line, request, sentAt } = call
    const inputUsd = usd === null ? null : usd.input + usd.cache_read + usd.cache_write_5m + usd.cache_write_1h
    const ends = [split.read, split.written1h, split.cached]
    const perToken = CHARGES.flatMap((name) => [rates[name].tokens, rates[name].usd])
    const all = [sentAt, promptTokens(usage), inputUsd, rest.tokens, rest.usd, kept, call.reason]
    this.#insertCall.run(event.id, lineId, sums.requests, ...all, ...ends, ...perToken)
    const { session_id: session, agent_id: agent } = event
    const [firstAt, lastAt] = [before?.first_at ?? sentAt, before?.last_at ?? sentAt]
    const times = [Math.min(firstAt, sentAt), Math.max(lastAt, sentAt)]
    const cached = [split.cached, usage.read + usage.written]
    const { requests, read_tokens: tokens, read_usd: read } = sums
    this.#upsertLine.run(lineId, session, agent, line, request, ...times, ...cached, requests, tokens, read)
  }
}
