import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { compactionsQuery } from '../event-queries.ts'
import { usageQuery } from '../queries.ts'

/** What the outline says about a turn besides its prompt. */
export interface TurnMarks {
  readonly costUsd: number | null
  readonly compactions: number
}

/** Loads the cost and the compactions of each turn. */
export function useTurnMarks(sessionId: string): ReadonlyMap<number, TurnMarks> {
  const usage = useQuery(usageQuery(sessionId)).data
  const compactions = useQuery(compactionsQuery(sessionId)).data
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
