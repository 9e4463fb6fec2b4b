import type { SessionLink } from '../../../shared/contract/sessions.ts'
import type { Reader } from './reader.ts'

/** The newest link of each kind: the session that it leads to, or null. */
export type NewestLinks = Readonly<Record<SessionLink['kind'], string | null>>

/** Maximum ids in one statement. */
const IDS_AT_ONCE = 500

/**
 * Returns the sessions that each session continues, newest link first. Links to lines that no session has are left out.
 */
export function linksOfSessions(reader: Reader, ids: readonly string[]): ReadonlyMap<string, readonly SessionLink[]> {
  const links = new Map<string, SessionLink[]>()
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
    const some = ids.slice(at, at + IDS_AT_ONCE)
    const rows = reader.all<SessionLink & { from_id: string }>(
      `SELECT from_id, kind, session_id, max(at) AS at FROM (
         SELECT l.session_id AS from_id, l.kind, l.linked_at AS at, CASE WHEN l.line_uuid = '' THEN l.other_session_id ELSE coalesce(
           (SELECT e.session_id FROM events e WHERE e.uuid = l.line_uuid),
           (SELECT e.session_id FROM key_rows k JOIN events e ON e.id = k.event_id WHERE k.key = 'line:' || l.line_uuid)) END AS session_id
         FROM session_links l WHERE l.session_id IN (${some.map(() => '?').join(', ')}))
       WHERE session_id IS NOT NULL AND session_id <> from_id
       GROUP BY from_id, kind, session_id ORDER BY 4 DESC, session_id`,
      ...some,
    )
    for (const { from_id, kind, session_id, at } of rows)
      links.set(from_id, [...(links.get(from_id) ?? []), { kind, session_id, at }])
  }
  return links
}

/** Returns the time of the last event of a session that another one repeats; null if it repeats none. */
export function repeatedUntil(reader: Reader, sessionId: string, from: string): string | null {
  return (
    reader.get<{ at: string | null }>(
      `SELECT max(e.ts_wall) AS at FROM sighting_rows s JOIN events e ON e.id = s.event_id
       WHERE s.other_session_id = ? AND e.session_id = ?`,
      sessionId,
      from,
    )?.at ?? null
  )
}

/** Picks the newest link of each kind: a fork of a fork links to its direct original. */
export function newestLinks(links: readonly SessionLink[] = []): NewestLinks {
  const newest = (kind: SessionLink['kind']) => links.find((link) => link.kind === kind)?.session_id ?? null
  return {
    forked_from: newest('forked_from'),
    resumed_from: newest('resumed_from'),
    compacted_from: newest('compacted_from'),
  }
}
