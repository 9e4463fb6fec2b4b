import type { OperationOutput } from '../../../shared/contract/index.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { matchWords, plainWords } from '../../recall/match-words.ts'
import { apiCalls, type CallRow } from '../../store/read/api-usage.ts'
import { listErrors } from '../../store/read/errors.ts'
import { toFlag } from '../../store/read/events.ts'
import { readModelTotals, readSummary } from '../../store/read/rollups.ts'
import { paceByKind } from '../../store/read/pace-by-kind.ts'
import { slowestEvents, slowestTools } from '../../store/read/tools.ts'
import { given } from './given.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { tokensOfCall } from './sessions.ts'
import { shortened } from '../../../shared/cut-text.ts'
import { pricedCost, spentBy, UNPRICED, withoutPrice, type Spend } from '../../../shared/spend.ts'

export const statsSummary: ReaderHandler<'stats.summary'> = (reader, input) => readSummary(reader, given(input))

export const errorsList: ReaderHandler<'errors.list'> = (reader, input) => {
  if (input.query === undefined) return listErrors(reader, input)
  const query = matchWords(input.query)
  if (query === null) throw new AspyError('bad_query', `"${shortened(input.query, 100)}" has no word to search for`)
  return listErrors(reader, { ...input, query, words: plainWords(input.query) })
}

export const slowest: ReaderHandler<'stats.slowest'> = (reader, input) => {
  const rows = input.by === 'tool' ? slowestTools(reader, input) : slowestEvents(reader, input)
  const items = rows.map((row) => ({ ...row, upper_bound: row.upper_bound === 1, success: toFlag(row.success) }))
  if (input.by === 'tool') return { items, next: null }
  const { groups, partial } = paceByKind(reader, input)
  return { items, next: null, groups, ...(partial ? { partial: true } : {}) }
}

/** Bounds the calls for latency and turns. */
const MAX_CALLS = 10_000
const CALLS_SHOWN = 100

export const analytics: ReaderHandler<'stats.analytics'> = (reader, input) => {
  const read = apiCalls(reader, { ...given(input), limit: MAX_CALLS + 1 })
  const calls = read.slice(0, MAX_CALLS)
  const partial = read.length > MAX_CALLS
  const used = partial && input.session_id === undefined ? readModelTotals(reader, given(input)) : usedBy(calls)
  const own = Map.groupBy(calls, ({ model }) => model)
  const timesOf = (of: readonly CallRow[]) => ({ ...latencyOf(of), thinking_tokens: sumOf(of, thinkingOf) })
  const sum = (name: 'calls' | 'tokens' | keyof Spend) => sumOf(used, (row) => row[name])
  const spent = { cost_usd: sum('cost_usd'), ...withoutPrice(sum(UNPRICED)) }
  return {
    totals: { ...timesOf(calls), calls: sum('calls'), tokens: sum('tokens'), ...spent },
    by_model: used
      .filter((row) => row.calls > 0)
      .map((row) => {
        const { model, calls: count, tokens } = row
        return { model, ...timesOf(own.get(model) ?? []), calls: count, tokens, cost_usd: pricedCost(row) }
      })
      .sort((a, b) => (b.cost_usd ?? 0) - (a.cost_usd ?? 0)),
    by_turn: byTurn(calls),
    calls: calls.slice(0, CALLS_SHOWN),
    partial,
  }
}

const usedBy = (calls: readonly CallRow[]) =>
  [...Map.groupBy(calls, ({ model }) => model)].map(([model, own]) => ({
    model,
    calls: own.length,
    tokens: sumOf(own, tokensOfCall),
    ...spentBy(own),
  }))

const thinkingOf = (call: CallRow): number => call.thinking_tokens ?? 0

function byTurn(calls: readonly CallRow[]): OperationOutput<'stats.analytics'>['by_turn'] {
  return [...Map.groupBy(calls, (call) => JSON.stringify([call.session_id, call.turn_id])).values()]
    .slice(0, 500)
    .map((own) => ({
      session_id: own[0]?.session_id ?? '',
      turn_id: own[0]?.turn_id ?? 0,
      calls: own.length,
      tokens: sumOf(own, tokensOfCall),
      cost_usd: pricedCost(spentBy(own)),
      duration_ms: sumOf(own, (call) => call.duration_ms ?? 0),
    }))
}

const sumOf = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + of(row), 0)

function latencyOf(calls: readonly CallRow[]) {
  const durations = calls.flatMap((call) => call.duration_ms ?? []).sort((a, b) => a - b)
  const firsts = calls.flatMap((call) => call.ttft_ms ?? [])
  const average = (values: readonly number[]) =>
    values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    avg_ttft_ms: average(firsts),
    p50_duration_ms: percentile(durations, 0.5),
    p95_duration_ms: percentile(durations, 0.95),
    avg_duration_ms: average(durations),
  }
}

/** Returns a percentile of sorted values by nearest rank. */
const percentile = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? null
