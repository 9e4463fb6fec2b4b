import { useQueries } from '@tanstack/react-query'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { keptShare } from '../../../../shared/kept-messages.ts'
import { formatShare } from '../../../lib/format.ts'
import { operationQuery, useOperation } from '../../../lib/operation.ts'
import { comparedWith, usualOf } from '../../../lib/usual.ts'

type Dropped = OperationOutput<'compactions.dropped'>

/** Sessions whose last compactions say what is usual. Each of them is compared with its summary. */
const OTHERS = 5

/** Says how much a summary kept beside what is usual in other sessions; null: not known, or nothing was lost. */
export function usualKept(dropped: Dropped, others: readonly Dropped[]): string | null {
  const share = keptShare(dropped)
  const usual = usualOf(others.flatMap((other) => keptShare(other) ?? []))
  if (share === null || share === 1 || usual === null) return null
  return `It kept ${formatShare(share)}, ${comparedWith(usual, share)} ${formatShare(usual)}.`
}

/** Compares what a compaction kept with the last compactions of other sessions. */
export function useUsualKept(uuid: string, dropped: Dropped | undefined): string | null {
  const enabled = dropped !== undefined && dropped.summary !== ''
  const { data: own } = useOperation('events.get', { uuid }, { enabled })
  const { data: compacted } = useOperation('sessions.list', { compacted: true, limit: OTHERS + 1 }, { enabled })
  const ids = compacted?.items.flatMap(({ id }) => (own === undefined || id === own.session_id ? [] : [id])) ?? []
  const others = useQueries({
    queries: ids.slice(0, OTHERS).map((id) => operationQuery('compactions.dropped', { session_id: id, limit: 1 })),
    combine: (all) => (all.some(({ isPending }) => isPending) ? null : all.flatMap(({ data }) => data ?? [])),
  })
  return dropped === undefined || others === null ? null : usualKept(dropped, others)
}
