import type { AnyDraft } from '../../decode/draft.ts'
import type { EventSource } from '../../../shared/event.ts'
import type { WritableDb } from '../database/connection.ts'
import type { EventRow } from '../log/log.ts'
import { payloadHead, type Fetch } from '../log/payload.ts'
import type { Keys } from './keys.ts'
import { isAside } from './place.ts'

/** Turns before another one, or the end of a session, that are searched for prompts that were not sent, or for open turns. */
const TURNS_BEFORE = 20
/** How long prompts may wait behind a command that begins another session, and how many such sessions are searched. */
const [MAX_WAIT_MS, MAX_LEFT] = [60 * 60_000, 20]

/** Follows prompts that only a hook told of: another hook kept them from the model, or another session sent them. */
export type UnsentPrompts = ReturnType<typeof createUnsentPrompts>

/** True for a prompt in a request of its turn, or in a line that its session did not copy. */
export const isSent = ({ kind, source, payload, copied_from, only_as_sighting }: AnyDraft): boolean =>
  kind === 'user_prompt' &&
  (source === 'wire' || source === 'transcript') &&
  !('seen_in_history' in payload) &&
  copied_from === undefined &&
  only_as_sighting !== true

/** A session may end in a folder below its project. */
const mayBeSame = (one: string | null, other: string | null): boolean =>
  one === null || other === null || `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`)

/** Requests of the client's own, which say nothing about the turn beside them. */
const OF_THE_CLIENT = new Set<unknown>(['infrastructure', 'probe', 'warmup', 'side_call'])

/** `payload`: of a request or its response. `is_sent`: of a prompt that more than a hook told of. */
type HeardRow = Pick<EventRow, 'uuid' | 'kind' | 'ts_wall' | 'success' | 'parent_uuid' | 'payload'> & {
  readonly is_sent: 0 | 1
}

/** Returns when an open turn was last heard, and why it went on no further; null if it was not sent, or an answer is awaited. */
function lastHeard(
  rows: readonly HeardRow[],
  fetch: Fetch,
): { readonly ts_wall: string; readonly reason: string } | null {
  const of = (wanted: string) => rows.filter(({ kind }) => kind === wanted)
  const answers = new Map(of('model_response').map((row) => [row.parent_uuid, row]))
  const all = of('model_request')
  const main = all.filter((row) => !OF_THE_CLIENT.has(payloadHead(row.payload, fetch)['request_kind']))
  // A question beside the turn has no other request.
  const asked = (main.length === 0 ? all : main).map(({ uuid }) => answers.get(uuid))
  if (asked.includes(undefined) || !rows.some((row) => row.is_sent === 1)) return null
  const own = rows.filter((row) => !row.kind.startsWith('model_') || asked.includes(row))
  const ts_wall = own.reduce((latest, row) => (row.ts_wall > latest ? row.ts_wall : latest), '')
  const last = asked.at(-1)
  // Without a request of its own, it was sent with the next prompt, or only a transcript tells of it.
  if (last === undefined || last.success === 1) return { ts_wall, reason: 'next_prompt' }
  return { ts_wall, reason: payloadHead(last.payload, fetch)['cut_by'] === 'client' ? 'cut' : 'failed' }
}

/** True for a prompt in the list of all prompts, which is read behind the transcripts. */
const isListed = ({ keys }: AnyDraft): boolean => keys.some((key) => key.startsWith('prompt-history:'))

/**
 * True for what shows its own turn to be over: an answer that the client cut, an interruption, or a listed question beside
 * a turn, of which no transcript tells more.
 */
const isStop = (fact: AnyDraft): boolean =>
  fact.agent_id === null &&
  ((fact.kind === 'model_response' && fact.payload.cut_by === 'client') ||
    (fact.kind === 'state_change' && fact.payload.name === 'interrupted') ||
    (isAside(fact) && isListed(fact)))

/** True for a prompt that shows the turns before it to be over. */
const isNext = (fact: AnyDraft): boolean => isSent(fact) && !isAside(fact) && !isListed(fact)

/** Lines come in their order, so that behind a turn that has ended none is open. */
function turnsBefore(turn: number, source: EventSource, isOpen: (turn: number) => boolean): readonly number[] {
  const all = Array.from({ length: TURNS_BEFORE }, (_, n) => turn - 1 - n)
  const ended = source === 'wire' ? -1 : all.findIndex((before) => !isOpen(before))
  return (ended < 0 ? all : all.slice(0, ended)).toReversed()
}

const endKey = (sessionId: string, turn: number): string => `ended-before:${sessionId}:${turn}`

/** Reads them from the log. */
export function createUnsentPrompts(db: WritableDb, keys: Keys, fetch: Fetch) {
  const { unsent, left, heard } = prepareStatements(db)
  const endOf = (event: string, reason: string) => ({
    kind: 'turn_ended' as const,
    agent_id: null,
    ts_monotonic: null,
    payload: { reason, last_text: null },
    parents: [`event:${event}`],
  })
  const unsentOf = (sessionId: string, turn: number) => unsent.all(sessionId, turn - TURNS_BEFORE, turn)
  return {
    /**
     * Returns what takes such prompts back from a session of this project that the client left before this one was sent in
     * another. The hook fires when they are typed: those that wait behind a `/clear` are reported in the session that it ends.
     */
    leftBehind(sent: AnyDraft, project: string | null): readonly AnyDraft[] {
      const { text_identity: identity, source, session_id } = sent
      const at = Date.parse(sent.ts_wall)
      if (sent.kind !== 'user_prompt' || identity === undefined || Number.isNaN(at)) return []
      const { text } = sent.payload
      const [from, to] = [at - MAX_WAIT_MS, at].map((ms) => new Date(ms).toISOString())
      const sessions = left.all(from ?? '', to ?? '', session_id).filter((of) => mayBeSame(of.project, project))
      const prompts = sessions.flatMap((of) => unsentOf(of.session_id, of.last + 1))
      return prompts.map(({ uuid, ...prompt }): AnyDraft => ({
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
    /**
     * Returns ends for the open turns that this fact shows to be over, where each was last heard, unless an answer is
     * awaited in it: those before a prompt that the client sent, and its own if it stops that.
     */
    endsBy: (
      fact: AnyDraft,
      { session_id, turn_id }: Pick<EventRow, 'session_id' | 'turn_id'>,
      isOpen: (turn: number) => boolean,
    ): readonly AnyDraft[] => {
      const { source } = fact
      const turns = isStop(fact) ? [turn_id] : isNext(fact) ? turnsBefore(turn_id, source, isOpen) : []
      const isInterruption = fact.kind === 'state_change'
      return turns.flatMap((turn) => {
        const key = endKey(session_id, turn)
        // A transcript that was read before knows less of it.
        const mayKnowMore = source === 'wire' || isInterruption
        if (!isOpen(turn) && !(mayKnowMore && keys.findByKey(key))) return []
        const rows = heard.all(session_id, turn)
        const [first, end] = [rows[0], lastHeard(rows, fetch)]
        if (first === undefined || end === null) return []
        // It cut a request of its own, beside the conversation.
        if (fact.kind === 'model_response' && end.reason !== 'cut') return []
        // The end of a whole answer is in its own lines, if these have ends at all.
        if (source === 'transcript' && isNext(fact) && rows.at(-1)?.kind === 'assistant_text') return []
        const reason = isInterruption ? 'interrupted' : end.reason
        const ts_wall = isInterruption && fact.ts_wall > end.ts_wall ? fact.ts_wall : end.ts_wall
        const basis = fact.sighting?.['time_basis']
        const sighting = basis === undefined ? {} : { sighting: { time_basis: basis } }
        return [{ ...endOf(first.uuid, reason), ...sighting, session_id, ts_wall, source, keys: [key] }]
      })
    },
    /** Returns such an end, if the draft tells of the end of the same turn, which ended once. */
    knownEnd: (draft: AnyDraft, turnOf: (draft: AnyDraft) => number): EventRow | null =>
      draft.kind === 'turn_ended' && draft.agent_id === null
        ? keys.findAnchor({ ...draft, keys: [], sighting_of: [endKey(draft.session_id, turnOf(draft))] })
        : null,
    /** Returns the draft with the name of its turn's end, if others may tell of the same one later. */
    withEndKey: (draft: AnyDraft, turnOf: (draft: AnyDraft) => number): AnyDraft =>
      draft.ends_open_turn ? { ...draft, keys: [...draft.keys, endKey(draft.session_id, turnOf(draft))] } : draft,
    /** Returns the ends of such turns before a turn of the session, which the client had sent or ended by then; also known ones. */
    endsBefore: (sessionId: string, turn: number) =>
      // A later time would lengthen the turn that the prompt joins when a transcript takes it back.
      unsentOf(sessionId, turn).map(({ uuid, ...prompt }): AnyDraft => ({
        ...endOf(uuid, 'not_sent'),
        ...prompt,
        source: 'hook',
        keys: [`not-sent:${uuid}`],
      })),
  }
}

function prepareStatements(db: WritableDb) {
  return {
    unsent: db.prepare<[string, number, number], Pick<EventRow, 'session_id' | 'uuid' | 'ts_wall'>>(
      `SELECT p.session_id, p.uuid, p.ts_wall FROM events p
       WHERE p.session_id = ? AND p.turn_id >= ? AND p.turn_id < ? AND p.kind = 'user_prompt' AND p.source = 'hook'
         AND p.payload NOT LIKE '%"entered_as":"local_command"%'
         AND NOT EXISTS (SELECT 1 FROM sighting_rows s WHERE s.event_id = p.id AND s.source <> 'hook')
         AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_id = p.session_id AND e.turn_id = p.turn_id AND e.id <> p.id
           AND e.kind NOT IN ('notification', 'rate_limit', 'session_started', 'session_ended')
           AND NOT (e.kind = 'turn_ended' AND e.payload LIKE '%"reason":"not_sent"%'))
       ORDER BY p.id`,
    ),
    left: db.prepare<[string, string, string], { session_id: string; project: string | null; last: number }>(
      `SELECT e.session_id, e.project, (SELECT max(turn_id) FROM events t WHERE t.session_id = e.session_id) AS last
       FROM events e INDEXED BY events_by_kind_time
       WHERE e.kind = 'session_ended' AND e.ts_wall BETWEEN ? AND ? AND e.session_id <> ?
         AND e.payload ->> 'reason' IN ('clear', 'resume')
       GROUP BY e.session_id ORDER BY max(e.ts_wall) DESC LIMIT ${MAX_LEFT}`,
    ),
    // What a later request or the next start of the client tells of a turn is not when it was last heard.
    heard: db.prepare<[string, number], HeardRow>(
      `SELECT uuid, kind, ts_wall, success, parent_uuid, CASE WHEN kind LIKE 'model_%' THEN payload ELSE '' END AS payload,
         kind <> 'user_prompt' OR ((source <> 'hook'
             OR EXISTS (SELECT 1 FROM sighting_rows s WHERE s.event_id = events.id AND s.source <> 'hook'))
           AND NOT EXISTS (SELECT 1 FROM sighting_rows s WHERE s.event_id = events.id AND s.payload LIKE '%"not_a_prompt":true%'))
           AS is_sent
       FROM events WHERE session_id = ? AND turn_id = ? AND agent_id IS NULL AND payload NOT LIKE '%"seen_in_history":true%'
         AND (kind IN ('user_prompt', 'thinking', 'assistant_text', 'tool_call', 'tool_result', 'model_request', 'model_response')
           OR (kind = 'notification' AND seq = 0))
       ORDER BY seq`,
    ),
  }
}
