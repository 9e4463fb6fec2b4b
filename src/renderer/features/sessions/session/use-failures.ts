import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
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
  /** Opens the next (1) or previous (-1) failure; after the last one comes the first. */
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
  const step = (by: 1 | -1) => {
    const at = failures.findIndex(({ uuid }) => uuid === current)
    const next = at < 0 ? (by === 1 ? 0 : failures.length - 1) : (at + by + failures.length) % failures.length
    const failure = failures[next]
    if (failure !== undefined) onOpen(failure.uuid)
    else notify(count === 0 ? 'No errors in this session' : 'Still loading the errors of this session', 'warn')
  }
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
