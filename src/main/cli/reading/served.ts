import { servedChangesTable, servedCombinationsTable } from '../../../shared/columns/served.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { counted, table } from '../table.ts'

/** Writes where answers differ from what was asked, and what was asked and served in all. */
export function servedText(found: OperationOutput<'served.list'>): string {
  return [
    found.changes.length > 0 ? table(found.changes, servedChangesTable) : unchanged(found.answers - found.unknown),
    ...(found.combinations.length === 0 ? [] : [table(found.combinations, servedCombinationsTable)]),
    ...(found.unknown === 0 ? [] : [`Recorded without what was asked: ${counted(found.unknown, 'answer')}.`]),
  ].join('\n\n')
}

function unchanged(judged: number): string {
  return judged > 0
    ? `No silent changes in ${counted(judged, 'answer')}.`
    : 'No answers to compare. Only recorded traffic has what was asked, transcripts do not.'
}
