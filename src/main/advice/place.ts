import type { AdviceSession } from '../store/read/advice-sessions.ts'

/** The sessions of one working directory and client. */
export interface Place {
  readonly project: string | null
  readonly client: string
  readonly sessions: readonly AdviceSession[]
  readonly spent_usd: number
}

/** Groups sessions by working directory and client, and keeps the places of which no session changed. */
export class Places {
  #known = new Map<string, Place>()

  of(sessions: Iterable<AdviceSession>): readonly Place[] {
    const groups = Map.groupBy(sessions, ({ project, client }) => JSON.stringify([project, client]))
    this.#known = new Map(
      Array.from(groups, ([key, group]) => {
        const before = this.#known.get(key)
        return [key, before !== undefined && isSame(before.sessions, group) ? before : placeOf(group)]
      }),
    )
    return [...this.#known.values()]
  }
}

const isSame = (one: readonly AdviceSession[], other: readonly AdviceSession[]): boolean =>
  one.length === other.length && one.every((session, at) => session === other[at])

const placeOf = (sessions: readonly AdviceSession[]): Place => ({
  project: sessions[0]?.project ?? null,
  client: sessions[0]?.client ?? '',
  sessions,
  spent_usd: sessions.reduce((sum, { spent_usd }) => sum + spent_usd, 0),
})
