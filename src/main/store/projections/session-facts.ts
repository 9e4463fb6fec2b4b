import type { AnyEvent, Json } from '../../../shared/event.ts'
import { COUNTED_FIGURES } from '../../listings/session-figures.ts'
import { defaultsOf } from '../schema/define-table.ts'
import { TABLES } from '../tables.ts'
import type { Fact } from './fact.ts'
import type { SessionRow } from './session-row.ts'

/** Kinds of events that show that a session continues after a SessionEnd. */
const RESUMES = new Set<string>(['session_started', 'user_prompt', 'assistant_text', 'tool_call'])

/** Returns the row of a session that has only its first event. */
export function newRow(event: AnyEvent): SessionRow {
  return {
    ...defaultsOf(TABLES.sessions),
    id: event.session_id,
    started_at: event.ts_wall,
    last_event_at: event.ts_wall,
    source: sourceOf(event),
  }
}

/** Source of the session: that of its first event. */
function sourceOf(event: AnyEvent): SessionRow['source'] {
  if (event.source === 'transcript') return 'transcript'
  if (event.kind === 'session_started' && event.source === 'hook') return 'hook'
  return event.kind === 'model_request' && event.payload.request_kind === 'warmup' ? 'warmup' : 'first_seen'
}

/** Adds what an event counts as to the row of its session, or with `sign` -1 removes it. */
export function addFact(row: SessionRow, event: AnyEvent, fact: Fact, sign: 1 | -1): void {
  for (const { name, of } of COUNTED_FIGURES) row[name] += sign * of(fact, event)
  if (event.source !== 'transcript') row.measured_events += sign
  else if (!fact.isUndated) row.dated_events += sign
}

/** The value in the earliest event that has it, or in a sighting of it. */
export function learnOwner(
  row: SessionRow,
  eventId: number,
  userId: string | null,
  project: string | null,
  branch: string | null,
): void {
  const earlier = (from: number | null) => from === null || eventId < from
  if (userId !== null && earlier(row.user_from)) [row.user_id, row.user_from] = [userId, eventId]
  if (project !== null && earlier(row.project_from)) [row.project, row.project_from] = [project, eventId]
  if (branch !== null && earlier(row.branch_from)) [row.git_branch, row.branch_from] = [branch, eventId]
}

/** Returns the Git branch that an event names; null if it names none. */
export const branchOf = (event: AnyEvent): string | null =>
  event.kind === 'user_prompt' || event.kind === 'session_started' ? (event.payload.git_branch ?? null) : null

/** A larger total is invalid. */
const MAX_TOTAL_USD = 1e9

/** The client's last report of its spending; of two at the same time, the larger. */
export function learnClientCost(row: SessionRow, account: Json, at: string): void {
  const total =
    account !== null && typeof account === 'object' && 'totalCostUSD' in account ? account.totalCostUSD : null
  if (typeof total !== 'number' || !(total >= 0 && total < MAX_TOTAL_USD)) return
  const isOlder = row.client_cost_at !== null && at < row.client_cost_at
  const isSmaller = at === row.client_cost_at && total < (row.client_cost_usd ?? 0)
  if (isOlder || isSmaller) return
  Object.assign(row, { client_cost_usd: total, client_cost: JSON.stringify(account), client_cost_at: at })
}

/** Stores the end of a session, or that it continues. */
export function learnEnd(row: SessionRow, event: AnyEvent): void {
  if (event.kind === 'session_ended' || (event.kind === 'turn_ended' && event.payload.ends_session === true))
    row.session_end_at = later(row.session_end_at, event.ts_wall)
  else if (RESUMES.has(event.kind)) row.last_active_at = later(row.last_active_at, event.ts_wall)
}

const later = (a: string | null, b: string): string => (a !== null && a > b ? a : b)
