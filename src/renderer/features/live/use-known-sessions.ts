import type { Session } from '../../../shared/contract/sessions.ts'
import { useOperation } from '../../lib/operation.ts'

/** More are seldom active at a time. */
const MOST = 50
const REFRESH_MS = 10_000

/** Returns the most recently active sessions by id, as the list shows them; undefined until they are read. */
export function useKnownSessions(): ReadonlyMap<string, Session> | undefined {
  const { data } = useOperation(
    'sessions.list',
    { limit: MOST },
    { refetchMs: REFRESH_MS, select: ({ items }) => new Map(items.map((session) => [session.id, session])) },
  )
  return data
}
