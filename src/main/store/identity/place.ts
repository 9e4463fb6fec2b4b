import type { EventSource } from '../../../shared/event.ts'
import { begunCompaction } from '../../decode/compaction-key.ts'
import { naturalKey, type AnyDraft } from '../../decode/draft.ts'
import type { WritableDb } from '../database/connection.ts'
import { createFolderSpellings } from './folder-spellings.ts'
import type { Keys } from './keys.ts'
import type { EventRow, KnownEvent } from '../log/log.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'

/** The place of an event: assigned on arrival, never changed. */
export interface Place {
  readonly turn_id: number
  readonly seq: number
  readonly parent_uuid: string | null
  /** Keys of better parents that have not arrived yet, best first. */
  readonly awaited: readonly string[]
  /** When what follows it in its turn was seen: the draft is not later. */
  readonly before?: string
}

/** Transcripts may be read much later, and must not change the turn that live traffic belongs to. */
type Lane = 'live' | 'history'
const laneOf = (source: EventSource): Lane => (source === 'transcript' ? 'history' : 'live')

interface Turn {
  nextSeq: number
  prompt: string | null
}

interface SessionState {
  lastTurn: number
  current: { live: number; history: number }
  readonly turns: RecentlyUsed<number, Turn>
  newestAt: string
  user_id: string | null
  project: string | null
}

type Prompt = Extract<AnyDraft, { kind: 'user_prompt' }>

const SESSIONS_KEPT = 500
const TURNS_KEPT = 32
const INHERIT_FROM_NEWEST = 50

/** Kinds that no prompt causes, so a prompt is never their parent. */
const UNCAUSED = new Set<string>(['user_prompt', 'session_started', 'session_ended'])

/** Assigns drafts their place in their session. */
export type Places = ReturnType<typeof createPlaces>

/** Caches session states, which it reads from the log. */
export function createPlaces(db: WritableDb, keys: Keys) {
  const statements = prepareStatements(db)
  const { lastTurn, lastSeq, promptOf, isAnswered, isOpen, owners } = statements
  const sessions = new RecentlyUsed<string, SessionState>(SESSIONS_KEPT)

  const sessionOf = (id: string): SessionState => {
    const known = sessions.get(id)
    if (known) return known
    const last = lastTurn.get(id) ?? 0
    const rows = owners.all(id)
    const state: SessionState = {
      lastTurn: last,
      current: { live: last, history: last },
      turns: new RecentlyUsed(TURNS_KEPT),
      newestAt: rows[0]?.ts_wall ?? '',
      user_id: rows.find((row) => row.user_id !== null)?.user_id ?? null,
      project: rows.find((row) => row.project !== null)?.project ?? null,
    }
    sessions.set(id, state)
    return state
  }

  const turnOf = (id: string, session: SessionState, turn: number): Turn => {
    const known = session.turns.get(turn)
    if (known) return known
    const state = { nextSeq: (lastSeq.get(id, turn) ?? -1) + 1, prompt: promptOf.get(id, turn) ?? null }
    session.turns.set(turn, state)
    return state
  }

  const inBegunTurn = createBegunTurns(statements, keys, turnOf)

  return {
    /** Returns the place that the draft would get; `take` assigns it. */
    find(draft: AnyDraft): Place {
      const session = sessionOf(draft.session_id)
      const next = { turn_id: session.lastTurn + 1, seq: 0, parent_uuid: null, awaited: [] }
      if (draft.kind === 'user_prompt') return inBegunTurn(draft, session) ?? next
      const current = session.current[laneOf(draft.source)]
      const { parent, awaited } = findParent(draft, keys)
      const isNotice = draft.kind === 'notification' && draft.begins_turn === true
      // A second notice follows the first, whatever call it is about.
      const isOfParent = !isNotice && parent?.session_id === draft.session_id
      if (draft.begins_turn && !isOfParent) {
        const isBehindAnswer = isAnswered.get(draft.session_id, current) !== undefined
        if (isNotice && isBehindAnswer) return next
        // The first place is for the prompt or `/compact`, which is seen behind its effects.
        if (!isNotice && (isBehindAnswer || current === 0)) return { ...next, seq: 1, awaited }
      }
      const turn_id = isOfParent ? parent.turn_id : current
      const turn = turnOf(draft.session_id, session, turn_id)
      const cause = UNCAUSED.has(draft.kind) ? null : turn.prompt
      return { turn_id, seq: turn.nextSeq, parent_uuid: parent?.uuid ?? cause, awaited }
    },
    take(draft: AnyDraft, uuid: string, place: Place) {
      const session = sessionOf(draft.session_id)
      const turn = turnOf(draft.session_id, session, place.turn_id)
      turn.nextSeq = Math.max(turn.nextSeq, place.seq + 1)
      if (draft.kind === 'user_prompt' || (draft.kind === 'notification' && draft.begins_turn && place.seq === 0))
        turn.prompt = uuid
      if (draft.kind === 'user_prompt' ? !isAside(draft) : draft.begins_turn) {
        session.current[laneOf(draft.source)] = place.turn_id
        // The newest prompt of any source: live events belong to it. Older history changes nothing.
        if (draft.ts_wall >= session.newestAt) session.current.live = place.turn_id
      }
      if (draft.ts_wall > session.newestAt) session.newestAt = draft.ts_wall
      session.lastTurn = Math.max(session.lastTurn, place.turn_id)
      session.user_id = draft.account ?? session.user_id
      session.project = draft.project ?? session.project
    },
    /** Call it for a sighting of a known event: a prompt makes its turn the current one. */
    follow(draft: AnyDraft, known: EventRow) {
      if (draft.session_id !== known.session_id) return
      const session = sessionOf(draft.session_id)
      session.user_id ??= draft.account ?? null
      session.project ??= draft.project ?? null
      if (draft.kind === 'user_prompt' ? isAside(draft) : !draft.begins_turn) return
      if (laneOf(draft.source) === 'history') session.current.history = known.turn_id
      else session.current.live = Math.max(session.current.live, known.turn_id)
    },
    /** True if a turn has a prompt, a notice in its place or an answer, and has not ended. */
    isOpen: (sessionId: string, turn: number) => isOpen.get(sessionId, turn) === 1,
    /** Returns the user and project of the session's newest events. */
    inherited: (sessionId: string): Pick<SessionState, 'user_id' | 'project'> => sessionOf(sessionId),
    /** Returns the spelling in which a folder was first recorded. */
    spelled: createFolderSpellings(db),
    /** Forgets everything read; after a rollback. */
    clear: () => sessions.clear(),
  }
}

/** Finds the places of prompts in turns that their effects began. */
function createBegunTurns(
  { firstOf, hasCompaction, lastBefore }: ReturnType<typeof prepareStatements>,
  keys: Keys,
  turnOf: (id: string, session: SessionState, turn: number) => Turn,
) {
  /** The first place of such a turn, if it is free. */
  const firstIn = (session: string, turn_id: number): Place | null => {
    const first = firstOf.get(session, turn_id)
    if (first === undefined || first.seq === 0) return null
    const place = { turn_id, seq: 0, parent_uuid: null, awaited: [] }
    // A request for a compaction that was cut or refused may be much older than the next prompt.
    return hasCompaction.get(session, turn_id) === undefined ? place : { ...place, before: first.ts_wall }
  }

  return (draft: Prompt, session: SessionState): Place | null => {
    const { session_id: id, payload, ts_wall } = draft
    const begun = begunCompaction(draft.keys)
    const compaction = begun === null ? undefined : keys.findByKey(begun)
    const before = compaction?.session_id === id ? firstIn(id, compaction.turn_id) : null
    if (before !== null) return before
    // The last turn, if it awaits this prompt; see `begins_turn`. A history or a file may show prompts of earlier turns.
    const { lastTurn: turn_id } = session
    if (turn_id === 0 || isAside(draft) || payload.seen_in_history === true) return null
    const turn = turnOf(id, session, turn_id)
    if (turn.prompt !== null || ts_wall < (lastBefore.get(id, turn_id) ?? '')) return null
    return firstIn(id, turn_id) ?? { turn_id, seq: turn.nextSeq, parent_uuid: null, awaited: [] }
  }
}

function prepareStatements(db: WritableDb) {
  return {
    lastTurn: db.prepare<[string], number | null>('SELECT max(turn_id) FROM events WHERE session_id = ?').pluck(),
    lastSeq: db
      .prepare<[string, number], number | null>('SELECT max(seq) FROM events WHERE session_id = ? AND turn_id = ?')
      .pluck(),
    promptOf: db
      .prepare<[string, number], string>(
        `SELECT uuid FROM events WHERE session_id = ? AND turn_id = ?
         AND (kind = 'user_prompt' OR (kind = 'notification' AND seq = 0 AND turn_id > 0)) LIMIT 1`,
      )
      .pluck(),
    firstOf: db.prepare<[string, number], { seq: number; ts_wall: string }>(
      'SELECT seq, ts_wall FROM events WHERE session_id = ? AND turn_id = ? ORDER BY seq LIMIT 1',
    ),
    hasCompaction: db
      .prepare<[string, number], number>(
        `SELECT 1 FROM events WHERE session_id = ? AND turn_id = ? AND kind = 'compaction' LIMIT 1`,
      )
      .pluck(),
    isAnswered: db
      .prepare<[string, number], number>(
        `SELECT 1 FROM events WHERE session_id = ? AND turn_id = ? AND kind IN ('assistant_text', 'turn_ended') LIMIT 1`,
      )
      .pluck(),
    isOpen: db
      .prepare<[string, number], number | null>(
        `SELECT max(kind IN ('assistant_text', 'tool_call') OR (kind = 'notification' AND seq = 0 AND turn_id > 0)
             OR (kind = 'user_prompt' AND payload NOT LIKE '%"entered_as":"local_command"%'))
           AND NOT max(kind = 'turn_ended')
         FROM events WHERE session_id = ? AND turn_id = ? AND agent_id IS NULL`,
      )
      .pluck(),
    lastBefore: db
      .prepare<[string, number], string | null>('SELECT max(ts_wall) FROM events WHERE session_id = ? AND turn_id < ?')
      .pluck(),
    owners: db.prepare<[string], { ts_wall: string; user_id: string | null; project: string | null }>(
      `SELECT ts_wall, user_id, project FROM events WHERE session_id = ? ORDER BY ts_wall DESC, id DESC LIMIT ${INHERIT_FROM_NEWEST}`,
    ),
  }
}

/** True for a question beside the turn, which goes on. */
export const isAside = (draft: AnyDraft): boolean =>
  draft.kind === 'user_prompt' && draft.payload.entered_as === 'side_question'

/** Returns the first known parent of the draft, and the keys of better ones that have not arrived. */
function findParent(draft: AnyDraft, keys: Keys): { parent: KnownEvent | null; awaited: readonly string[] } {
  const awaited: string[] = []
  const candidates =
    draft.agent_id !== null && draft.kind !== 'agent_started'
      ? [...draft.parents, naturalKey.agentStart(draft.agent_id)]
      : draft.parents
  for (const key of candidates) {
    const parent = keys.findByKey(key)
    if (parent) return { parent, awaited }
    awaited.push(key)
  }
  return { parent: null, awaited }
}
