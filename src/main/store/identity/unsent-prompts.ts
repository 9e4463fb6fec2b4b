import type { AnyDraft } from '../../decode/draft.ts'
import type { WritableDb } from '../database/connection.ts'
import type { Keys } from './keys.ts'

/** Turns before another one that are searched for prompts that were not sent. */
const TURNS_BEFORE = 20
/** How long prompts may wait behind a command that begins another session, and how many such sessions are searched. */
const [MAX_WAIT_MS, MAX_LEFT] = [60 * 60_000, 20]

/** Follows prompts that only a hook told of: another hook kept them from the model, or another session sent them. */
export interface UnsentPrompts {
  /** Returns the ends of such turns before a turn of the session, which the client had sent or ended by then. */
  endsBefore(sessionId: string, turn: number): readonly AnyDraft[]
  /**
   * Returns what takes such prompts back from a session that the client left before this one was sent in another. The
   * hook fires when they are typed: those that wait behind a `/clear` are reported in the session that it ends.
   */
  leftBehind(sent: AnyDraft): readonly AnyDraft[]
}

/** True for a prompt in a request of its turn, or in a line that its session did not copy. */
export const isSent = ({ kind, source, payload, copied_from, only_as_sighting }: AnyDraft): boolean =>
  kind === 'user_prompt' &&
  (source === 'wire' || source === 'transcript') &&
  !('seen_in_history' in payload) &&
  copied_from === undefined &&
  only_as_sighting !== true

/** Reads them from the log. */
export function createUnsentPrompts(db: WritableDb, keys: Keys): UnsentPrompts {
  const isUnsent = `p.kind = 'user_prompt' AND p.source = 'hook' AND p.payload NOT LIKE '%"entered_as":"local_command"%'
    AND NOT EXISTS (SELECT 1 FROM sighting_rows s WHERE s.event_id = p.id AND s.source <> 'hook')
    AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_id = p.session_id AND e.turn_id = p.turn_id AND e.id <> p.id
      AND e.kind NOT IN ('notification', 'session_started', 'session_ended')
      AND NOT (e.kind = 'turn_ended' AND e.payload LIKE '%"reason":"not_sent"%'))`
  const unsent = db.prepare<[string, number, number], { uuid: string; ts_wall: string }>(
    `SELECT p.uuid, p.ts_wall FROM events p
     WHERE p.session_id = ? AND p.turn_id >= ? AND p.turn_id < ? AND ${isUnsent} ORDER BY p.id`,
  )
  const left = db.prepare<[string, string, string], { session_id: string; uuid: string; ts_wall: string }>(
    `SELECT p.session_id, p.uuid, p.ts_wall FROM events p WHERE p.session_id IN (
       SELECT session_id FROM events INDEXED BY events_by_kind_time
       WHERE kind = 'session_ended' AND ts_wall BETWEEN ? AND ? AND session_id <> ?
         AND payload ->> 'reason' IN ('clear', 'resume') ORDER BY ts_wall DESC LIMIT ${MAX_LEFT})
     AND ${isUnsent} ORDER BY p.id`,
  )
  return {
    leftBehind(sent) {
      const { text_identity: identity, source, session_id } = sent
      const at = Date.parse(sent.ts_wall)
      if (sent.kind !== 'user_prompt' || identity === undefined || Number.isNaN(at)) return []
      const { text } = sent.payload
      const [from, to] = [at - MAX_WAIT_MS, at].map((ms) => new Date(ms).toISOString())
      return left.all(from ?? '', to ?? '', session_id).map(({ uuid, ...prompt }): AnyDraft => ({
        ...prompt,
        kind: 'user_prompt',
        source,
        agent_id: null,
        ts_monotonic: null,
        payload: { text },
        keys: [`sent-elsewhere:${uuid}`],
        // Its own time and an equal text: no other prompt of that session.
        text_identity: { text: identity.text, within_ms: 0 },
        parents: [],
        sighting: { not_a_prompt: true },
        only_as_sighting: true,
      }))
    },
    endsBefore: (sessionId, turn) =>
      unsent.all(sessionId, turn - TURNS_BEFORE, turn).map(({ uuid, ts_wall }): AnyDraft => ({
        source: 'hook',
        kind: 'turn_ended',
        session_id: sessionId,
        agent_id: null,
        // Later, it would lengthen the turn that the prompt joins when a transcript takes it back.
        ts_wall,
        ts_monotonic: null,
        payload: { reason: 'not_sent', last_text: null },
        keys: [`not-sent:${uuid}`],
        parents: keys.keysOf(uuid),
      })),
  }
}
