import type { AdviceSession } from '../store/read/advice-sessions.ts'

/** The sessions of one working directory and client. */
export interface Place {
  readonly project: string | null
  readonly client: string
  readonly sessions: readonly AdviceSession[]
  readonly spent_usd: number
}

/** Groups sessions by working directory and client. */
export function placesOf(sessions: Iterable<AdviceSession>): readonly Place[] {
  const groups = Map.groupBy(sessions, ({ project, client }) => JSON.stringify([project, client]))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const { project, client } = first
    return [{ project, client, sessions: group, spent_usd: group.reduce((sum, { spent_usd }) => sum + spent_usd, 0) }]
  })
}
