import type { Session } from '../../../shared/contract/sessions.ts'
import { useOperation } from '../../lib/operation.ts'

/** More are seldom active at a time. */
const MOST = 50
const REFRESH_MS = 10_000

const NONE: ReadonlyMap<string, Session> = new Map()

/** Returns the most recently active sessions by id, as the list shows them: with their titles and their cost so far. */
export function useKnownSessions(): ReadonlyMap<string, Session> {
  const { data } = useOperation(
    'sessions.list',
    { limit: MOST },
    { refetchMs: REFRESH_MS, select: ({ items }) => new Map(items.map((session) => [session.id, session])) },
  )
  return data ?? NONE
}
