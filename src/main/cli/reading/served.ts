import type { OperationOutput } from '../../../shared/contract/index.ts'
import { count, counted, table, when } from '../table.ts'

/** Writes where answers differ from what was asked, and what was asked and served in all. */
export function servedText(found: OperationOutput<'served.list'>): string {
  const changes = table(found.changes, [
    { title: 'Since', of: (row) => when(row.timestamp) },
    { title: 'What', of: (row) => row.dimension.replaceAll('_', ' ') },
    { title: 'Asked', of: (row) => row.asked },
    { title: 'Before', of: (row) => row.before },
    { title: 'Served', of: (row) => row.served },
    { title: 'Answers', of: (row) => count(row.answers), right: true },
    { title: 'Session', of: (row) => row.session_id },
  ])
  const combinations = table(found.combinations, [
    { title: 'Asked', of: (row) => row.asked_model },
    { title: 'Served', of: (row) => row.served_model },
    { title: 'Effort', of: (row) => row.effort },
    { title: 'Speed', of: (row) => row.speed },
    { title: 'Tier', of: (row) => row.service_tier },
    { title: 'Region', of: (row) => row.inference_geo },
    { title: 'Cache', of: (row) => row.cache_ttl },
    { title: 'Answers', of: (row) => count(row.answers), right: true },
  ])
  return [
    found.changes.length > 0 ? changes : unchanged(found.answers - found.unknown),
    ...(found.combinations.length === 0 ? [] : [combinations]),
    ...(found.unknown === 0 ? [] : [`Recorded without what was asked: ${counted(found.unknown, 'answer')}.`]),
  ].join('\n\n')
}

function unchanged(judged: number): string {
  return judged > 0
    ? `No silent changes in ${counted(judged, 'answer')}.`
    : 'No answers to compare. Only recorded traffic has what was asked, transcripts do not.'
}
