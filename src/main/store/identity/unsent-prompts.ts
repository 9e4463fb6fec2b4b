import type { AnyDraft } from '../../decode/draft.ts'
import type { WritableDb } from '../database/connection.ts'
import type { Keys } from './keys.ts'

/** Turns before another one that are searched for prompts that were not sent. */
const TURNS_BEFORE = 20

/** Ends the turns of prompts that only a hook told of: another hook kept them from the model. */
export interface UnsentPrompts {
  /** Returns the ends of such turns before a turn of the session, which the client had sent or ended by then. */
  endsBefore(sessionId: string, turn: number): readonly AnyDraft[]
}

/** Reads them from the log. */
export function createUnsentPrompts(db: WritableDb, keys: Keys): UnsentPrompts {
  const unsent = db.prepare<[string, number, number], { uuid: string; ts_wall: string }>(
    `SELECT p.uuid, p.ts_wall FROM events p
     WHERE p.session_id = ? AND p.turn_id >= ? AND p.turn_id < ? AND p.kind = 'user_prompt' AND p.source = 'hook'
       AND p.payload NOT LIKE '%"entered_as":"local_command"%'
       AND NOT EXISTS (SELECT 1 FROM sighting_rows s WHERE s.event_id = p.id AND s.source <> 'hook')
       AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_id = p.session_id AND e.turn_id = p.turn_id
         AND e.id <> p.id AND e.kind NOT IN ('notification', 'session_started', 'session_ended'))
     ORDER BY p.id`,
  )
  return {
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
