import { servedChangesTable, servedCombinationsTable } from '../../../shared/columns/served.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { counted, table } from '../table.ts'

/** Writes answers served differently than requested, and all combinations of requested and served values. */
export function servedText(found: OperationOutput<'served.list'>): string {
  return [
    found.changes.length > 0 ? table(found.changes, servedChangesTable) : unchanged(found.answers - found.unknown),
    ...(found.combinations.length === 0 ? [] : [table(found.combinations, servedCombinationsTable)]),
    ...(found.unknown === 0 ? [] : [`Recorded without the requested values: ${counted(found.unknown, 'answer')}.`]),
  ].join('\n\n')
}

const unchanged = (judged: number): string =>
  judged > 0
    ? `No silent changes in ${counted(judged, 'answer')}.`
    : 'No answers to compare. Only recorded traffic shows what was requested; transcripts do not.'
