import type { JsonObject } from '../../../shared/event.ts'
import type { Projection } from './projection.ts'

type LinkKind = 'forked_from' | 'resumed_from' | 'compacted_from'

/**
 * Links from a session to the sessions that it continues. A copy of another session's events links to that session: a
 * fork, or for clients 1.x, which gave a resumed conversation a new id, a resumption. A transcript that starts after a
 * line of another file links to that line. Nothing links to a deleted session.
 */
export const sessionLinks: Projection = {
  name: 'session_links',
  open({ prepare, tables: t }) {
    const upsert = prepare(
      `INSERT INTO ${t.session_links} (session_id, kind, other_session_id, line_uuid, linked_at)
       SELECT @session, @kind, @other, @line, @at WHERE NOT EXISTS (SELECT 1 FROM tombstones WHERE session_id = @other)
       ON CONFLICT (session_id, other_session_id, line_uuid) DO UPDATE SET
         kind = CASE WHEN excluded.kind = 'forked_from' THEN kind ELSE excluded.kind END, linked_at = max(linked_at, excluded.linked_at)`,
    )
    const write = (session: string, kind: LinkKind, other: string, line: string, at: string) =>
      void upsert.run({ session, kind, other, line, at })
    return {
      apply: () => undefined,
      applySighting(event, { session_id, seen_at, payload }) {
        if (session_id !== event.session_id)
          write(
            session_id,
            payload?.['copied_by'] === 'resume' ? 'resumed_from' : 'forked_from',
            event.session_id,
            '',
            seen_at,
          )
        const continued = continuedLine(payload)
        if (continued !== null) write(session_id, continued.kind, '', continued.line, seen_at)
        const forked = forkedSession(payload)
        if (forked !== null) write(session_id, 'forked_from', forked, '', seen_at)
      },
    }
  },
}

/** The line of another file after which a transcript starts, as given in its first draft (`continues`). */
function continuedLine(payload: JsonObject | null): { readonly kind: LinkKind; readonly line: string } | null {
  const continued = payload?.['continues']
  if (
    continued === null ||
    typeof continued !== 'object' ||
    !('line' in continued) ||
    typeof continued.line !== 'string'
  )
    return null
  return { kind: continued['by'] === 'compaction' ? 'compacted_from' : 'resumed_from', line: continued.line }
}

/** The session that a fork names without repeating it, as given in its first draft (`continues`). */
function forkedSession(payload: JsonObject | null): string | null {
  const continued = payload?.['continues']
  if (continued === null || typeof continued !== 'object' || !('session' in continued)) return null
  return typeof continued.session === 'string' && continued.session !== '' ? continued.session : null
}
