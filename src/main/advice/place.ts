import { mainFolderOf } from '../../shared/folders.ts'
import type { AdviceSession } from '../store/read/advice-sessions.ts'
import { perMonth, type Rhythm } from './rhythm.ts'

/** The sessions of one working directory and client, with those of its worktrees. */
export interface Place {
  readonly project: string | null
  readonly client: string
  readonly sessions: readonly AdviceSession[]
  readonly spent_usd: number
  readonly rhythm: Rhythm
}

/** A suggestion is worth its reader's time from this share of what its place spent, or from this much a month. */
const WORTH_SHARE = 0.02
const WORTH_USD = 5
/** Below a tenth of a cent a month, no share is worth it. */
const LEAST_USD = 0.001
const WORTH_MINUTES = 1

/** True if so much money or time in a place is worth a word. */
export function isWorth({ spent_usd: spent, rhythm }: Place, usd: number, minutes: number): boolean {
  const monthly = perMonth(usd, rhythm)
  const isMoney = monthly >= LEAST_USD && (usd >= WORTH_SHARE * spent || monthly >= WORTH_USD)
  return isMoney || perMonth(minutes, rhythm) >= WORTH_MINUTES
}

/** Groups sessions by repository and client, and keeps the places of which no session changed. */
export class Places {
  #known = new Map<string, Place>()

  of(sessions: Iterable<AdviceSession>): readonly Place[] {
    const groups = Map.groupBy(sessions, ({ project, client }) => JSON.stringify([folderOf(project), client]))
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

const folderOf = (project: string | null): string | null => (project === null ? null : mainFolderOf(project))

const placeOf = (sessions: readonly AdviceSession[]): Place => ({
  project: folderOf(sessions[0]?.project ?? null),
  client: sessions[0]?.client ?? '',
  sessions,
  spent_usd: sessions.reduce((sum, { spent_usd }) => sum + spent_usd, 0),
  rhythm: rhythmOf(sessions),
})

function rhythmOf(sessions: readonly AdviceSession[]): Rhythm {
  let [from, until] = [Infinity, -Infinity]
  for (const { started_at: at, calls } of sessions) {
    from = Math.min(from, at)
    until = Math.max(until, calls.at(-1)?.at ?? at)
  }
  return { from, until }
}
