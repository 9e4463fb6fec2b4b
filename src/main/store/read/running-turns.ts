import type { AnyEvent } from '../../../shared/event.ts'
import { createTurnState, type LiveSession } from '../../../shared/turn-state.ts'
import type { EventRow } from '../log/log.ts'
import { outline, summarize } from '../projections/summary.ts'
import { EVENT_COLUMNS, toEvent } from './events.ts'
import { numbersOfTurn } from './joined-turns.ts'
import { ONLY_TRAFFIC } from '../../listings/sessions.ts'
import type { Reader } from './reader.ts'

/** The Live view shows the sessions of the last half hour. */
const ACTIVE_MS = 30 * 60_000
/** Bounds the events of earlier turns that are read for facts that outlive a turn: project, sources, model, context. */
const EARLIER_EVENTS = 200
const PAGE_EVENTS = 1000
/** Kinds whose payloads the turn's state needs; for others their presence is enough. */
const SUMMARIZED = new Set(['user_prompt', 'api_usage', 'agent_started', 'agent_ended', 'state_change'])

/** Returns the state of the newest turns of active sessions, longest silent first, as far as time allows. */
export function runningTurns(
  reader: Reader,
  { session_id: only, limit }: { session_id?: string; limit: number },
  now: number,
): { through: number; sessions: LiveSession[] } {
  const through = reader.get<{ id: number | null }>('SELECT max(id) AS id FROM events')?.id ?? 0
  const since = new Date(now - ACTIVE_MS).toISOString()
  const active = reader.inTime<{ id: string }>(
    `SELECT id FROM sessions s WHERE last_event_at > ? AND NOT ${ONLY_TRAFFIC.local} ORDER BY last_event_at DESC, id DESC LIMIT ?`,
    since,
    limit,
  )
  const sessions: LiveSession[] = []
  for (const { id } of active) {
    if (only !== undefined && only !== id) continue
    if (reader.budget.over) {
      reader.budget.cut()
      break
    }
    const state = turnOf(reader, id, through)
    if (state !== null) sessions.push(state)
  }
  return { through, sessions: sessions.reverse() }
}

/** Returns the state of a session's newest turn; null if time was up, since half of its sums would be wrong. */
function turnOf(reader: Reader, sessionId: string, through: number): LiveSession | null {
  const newest = reader.get<{ turn_id: number }>(
    'SELECT turn_id FROM events WHERE session_id = ? AND id <= ? ORDER BY turn_id DESC, seq DESC LIMIT 1',
    sessionId,
    through,
  )
  if (newest === undefined) return null
  const numbers = numbersOfTurn(reader, sessionId, newest.turn_id)
  const earlier = reader
    .inTime<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM events e WHERE e.session_id = ? AND e.turn_id < ? AND e.id <= ?
       ORDER BY e.turn_id DESC, e.seq DESC LIMIT ?`,
      sessionId,
      numbers[0],
      through,
      EARLIER_EVENTS,
    )
    .reverse()
  const turn = createTurnState()
  // Later events of the turn carry its newest number.
  const asNewest = (row: EventRow) => (numbers.includes(row.turn_id) ? { ...row, turn_id: newest.turn_id } : row)
  const take = (page: readonly EventRow[]) => {
    const rows = page.filter((row) => !isTakenBack(reader, row, numbers)).map(asNewest)
    const lastCall = rows.findLast((row) => row.kind === 'tool_call' && row.agent_id === null)
    const lastRequest = rows.findLast((row) => row.kind === 'model_request')
    // A call that starts an agent contains its task.
    const starters = new Set(rows.filter(({ kind }) => kind === 'agent_started').map(({ parent_uuid }) => parent_uuid))
    for (const row of rows)
      turn.apply(
        SUMMARIZED.has(row.kind) || row === lastCall || row === lastRequest || starters.has(row.uuid) || hasFailed(row)
          ? summarized(reader, row)
          : outlined(row),
      )
  }
  for (let [inTurn, after] = [-1, -1]; ;) {
    const page = reader.inTime<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM events e WHERE e.session_id = ? AND e.turn_id IN (${numbers.map(() => '?').join(', ')})
         AND (e.turn_id, e.seq) > (?, ?) AND e.id <= ? ORDER BY e.turn_id, e.seq LIMIT ?`,
      sessionId,
      ...numbers,
      inTurn,
      after,
      through,
      PAGE_EVENTS,
    )
    const last = page.at(-1)
    if (page.isCut || last === undefined) return page.isCut ? null : turn.state
    // Late results of earlier turns do not change this turn.
    const begun = page[0]?.id ?? 0
    if (after === -1) take(earlier.filter((row) => row.id < begun))
    take(page)
    if (after === -1) take(earlier.filter((row) => row.id > begun))
    ;[inTurn, after] = [last.turn_id, last.seq]
  }
}

/** True for a prompt that began a separate turn until a source said that the client wrote it. */
function isTakenBack(reader: Reader, row: EventRow, numbers: readonly number[]): boolean {
  if (row.kind !== 'user_prompt' || row.turn_id === numbers[0] || !numbers.includes(row.turn_id)) return false
  return reader.get('SELECT 1 FROM user_prompts WHERE id = ?', row.id) === undefined
}

const hasFailed = ({ kind, success }: EventRow): boolean =>
  kind === 'error' || (kind === 'tool_result' && success === 0)

// A stored event: the answer's untyped payload is the payload of its kind.
const summarized = (reader: Reader, row: EventRow) =>
  summarize(toEvent(reader, row) as unknown as AnyEvent, reader.pricing)

const outlined = (row: EventRow) =>
  outline({ ...row, success: row.success === null ? null : row.success !== 0, payload: {} } as unknown as AnyEvent)
