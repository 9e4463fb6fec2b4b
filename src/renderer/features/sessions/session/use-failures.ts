import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import type { FailureCounts } from '../../../../shared/failures.ts'
import { useHotkeys } from '../../../lib/hotkeys.ts'
import { notify } from '../../../lib/notices.ts'
import { failuresQuery } from '../queries.ts'

export type Failure = OperationOutput<'errors.list'>['items'][number]

interface FailuresOfSession {
  readonly all: readonly Failure[]
  /** Failures by turn; turns without any are missing. */
  readonly byTurn: ReadonlyMap<number, FailureCounts>
  /** Opens the next (1) or previous (-1) failure, once it has loaded; after the last one comes the first. */
  readonly step: (by: 1 | -1) => void
}

/** The failures of a session, with `e` and `Shift+E` for the next and previous one. */
export function useFailures(
  sessionId: string,
  total: FailureCounts | undefined,
  current: string | undefined,
  onOpen: (uuid: string) => void,
): FailuresOfSession {
  const count = (total?.api_errors ?? 0) + (total?.failed_tools ?? 0)
  const { data } = useQuery(failuresQuery(sessionId, count))
  const failures = useMemo(() => data ?? [], [data])
  const isLoading = total === undefined || (count > 0 && data === undefined)
  /** A step that waits for the failures, and the place it was made from. */
  const awaited = useRef<{ readonly by: 1 | -1; readonly from: string } | null>(null)
  const here = `${sessionId} ${current ?? ''}`
  const step = (by: 1 | -1) => {
    if (isLoading) {
      awaited.current = { by, from: here }
      return notify('Still loading the errors of this session', 'warn')
    }
    const at = failures.findIndex(({ uuid }) => uuid === current)
    const next = at < 0 ? (by === 1 ? 0 : failures.length - 1) : (at + by + failures.length) % failures.length
    const failure = failures[next]
    if (failure !== undefined) onOpen(failure.uuid)
    else notify('No errors in this session', 'warn')
  }
  useEffect(() => {
    const wanted = awaited.current
    if (wanted === null || isLoading) return
    awaited.current = null
    if (wanted.from === here) step(wanted.by)
  })
  useHotkeys({ e: () => step(1), E: () => step(-1) })
  const byTurn = useMemo(() => {
    const counts = new Map<number, FailureCounts>()
    for (const { turn_id: turn, origin } of failures) {
      const known = counts.get(turn) ?? { api_errors: 0, failed_tools: 0 }
      const isTool = origin === 'tool'
      counts.set(turn, {
        api_errors: known.api_errors + Number(!isTool),
        failed_tools: known.failed_tools + Number(isTool),
      })
    }
    return counts
  }, [failures])
  return { all: failures, byTurn, step }
}
