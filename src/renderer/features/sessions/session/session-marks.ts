import { useMemo } from 'react'
import { useOperation } from '../../../lib/operation.ts'
import { useCompactions } from './use-compactions.ts'

/** Facts in the outline about a turn besides its prompt. */
export interface TurnMarks {
  readonly costUsd: number | null
  readonly compactions: number
}

/** Loads the cost and the compactions of each turn. */
export function useTurnMarks(sessionId: string): ReadonlyMap<number, TurnMarks> {
  const usage = useOperation('sessions.usage', { session_id: sessionId }).data
  const compactions = useCompactions(sessionId)
  return useMemo(() => {
    const marks = new Map<number, TurnMarks>()
    for (const { turn_id: turn, cost_usd: costUsd } of usage?.turns ?? []) marks.set(turn, { costUsd, compactions: 0 })
    for (const { turn_id: turn } of compactions ?? []) {
      const known = marks.get(turn) ?? { costUsd: null, compactions: 0 }
      marks.set(turn, { ...known, compactions: known.compactions + 1 })
    }
    return marks
  }, [usage, compactions])
}
