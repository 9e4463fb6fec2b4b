import type { Session } from '../../../shared/contract/sessions.ts'
import type { LiveSession } from '../../../shared/turn-state.ts'
import { formatMoment } from '../../lib/format.ts'

type Known = ReadonlyMap<string, Session>

/** A session by its title, and its beginning if another has the same title; else null. */
export interface SessionName {
  readonly title: string
  readonly since: string | null
}

/** Names sessions by title; until one is stored, by its prompt. Those without either have none. */
export function sessionNames(sessions: readonly LiveSession[], known: Known): ReadonlyMap<string, SessionName> {
  const titles = new Map(sessions.map(({ session_id: id, prompt }) => [id, known.get(id)?.title ?? prompt ?? '']))
  const all = [...titles.values()]
  const isTwin = (title: string) => all.indexOf(title) !== all.lastIndexOf(title)
  return new Map(
    sessions.map(({ session_id: id, turn_started_at: turnAt }) => {
      const title = titles.get(id) ?? ''
      const since = isTwin(title) ? `since ${formatMoment(known.get(id)?.started_at ?? turnAt)}` : null
      return [id, { title, since }]
    }),
  )
}
