import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { newestOutcomes, type ToolOutcome } from '../../store/read/breakdowns.ts'
import { readToolTotals } from '../../store/read/rollups.ts'
import { listTools } from '../../store/read/tools.ts'
import { given } from './given.ts'

export const toolsList: ReaderHandler<'tools.list'> = listTools

const MAX_TOOLS = 60
const MAX_CALLS_PER_TOOL = 2000

export const toolPace: ReaderHandler<'tools.pace'> = (reader, input) => {
  const tools = readToolTotals(reader, given(input)).slice(0, MAX_TOOLS)
  const among = { since: input.since ?? '', project: input.project ?? null, calls: MAX_CALLS_PER_TOOL }
  return { items: tools.map(({ tool }) => paceOf(tool, newestOutcomes(reader, tool, among))) }
}

function paceOf(tool: string, outcomes: readonly ToolOutcome[]): OperationOutput<'tools.pace'>['items'][number] {
  const durations = outcomes.flatMap(({ duration_ms: ms }) => ms ?? []).sort((a, b) => a - b)
  const rank = (share: number) => durations[Math.max(0, Math.ceil(durations.length * share) - 1)] ?? null
  return {
    tool,
    timed: durations.length,
    upper_bounds: outcomes.filter(({ upper_bound }) => upper_bound === 1).length,
    p50_ms: rank(0.5),
    p95_ms: rank(0.95),
    failed: outcomes.filter(({ success, rejected }) => success === 0 && rejected === 0).length,
    rejected: outcomes.filter(({ rejected }) => rejected !== 0).length,
  }
}
