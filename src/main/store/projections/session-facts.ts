import type { AnyEvent, Json } from '../../../shared/event.ts'
import { UNKNOWN_CLIENT } from '../../decode/client/client-fact.ts'
import { failuresOf, type Failures } from './failures.ts'
import type { SessionRow } from './session-row.ts'

/** What shows that a session goes on after a SessionEnd. */
const RESUMES = new Set<string>(['session_started', 'user_prompt', 'assistant_text', 'tool_call'])

/** Returns the row of a session that has only its first event. */
export function newRow(event: AnyEvent): SessionRow {
  return {
    id: event.session_id,
    user_id: null,
    project: null,
    git_branch: null,
    started_at: event.ts_wall,
    ended_at: null,
    last_event_at: event.ts_wall,
    source: sourceOf(event),
    title: null,
    turn_count: 0,
    prompts: 0,
    total_tokens: 0,
    total_cost_usd: 0,
    unpriced_calls: 0,
    tool_calls: 0,
    thinking_blocks: 0,
    errors: 0,
    active_ms: 0,
    api_errors: 0,
    failed_tools: 0,
    client: UNKNOWN_CLIENT,
    client_version: null,
    client_cost_usd: null,
    client_cost: null,
    client_cost_at: null,
    user_from: null,
    project_from: null,
    branch_from: null,
    title_rank: 0,
    title_at: null,
    session_end_at: null,
    last_active_at: null,
    unproven_sender: null,
    client_certainty: 0,
    client_at: null,
    time_basis: 'line',
    measured_events: 0,
    dated_events: 0,
  }
}

/** How the session came to be known: by its first event. */
function sourceOf(event: AnyEvent): SessionRow['source'] {
  if (event.source === 'transcript') return 'transcript'
  if (event.kind === 'session_started' && event.source === 'hook') return 'hook'
  return event.kind === 'model_request' && event.payload.request_kind === 'warmup' ? 'warmup' : 'first_seen'
}

/** Adds failures, or what a sighting changes in their number. */
export function addFailures(row: SessionRow, { api_errors, failed_tools }: Failures): void {
  row.api_errors += api_errors
  row.failed_tools += failed_tools
}

/** Counts an event in the row of its session. */
export function count(row: SessionRow, event: AnyEvent): void {
  if (event.kind === 'session_started' && event.source === 'hook') row.source = 'hook'
  else if (event.kind === 'user_prompt') row.prompts += 1
  else if (event.kind === 'tool_call') row.tool_calls += 1
  else if (event.kind === 'thinking' && event.payload.text !== '') row.thinking_blocks += 1
  else if (event.kind === 'error') row.errors += 1
  addFailures(row, failuresOf(event))
}

/** What the earliest event that knows says, or a sighting of it. */
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
export function branchOf(event: AnyEvent): string | null {
  return event.kind === 'user_prompt' || event.kind === 'session_started' ? (event.payload.git_branch ?? null) : null
}

/** A larger total is damage. */
const MAX_TOTAL_USD = 1e9

/** The client's last word on what it spent; of two at the same time, the larger. */
export function learnClientCost(row: SessionRow, account: Json, at: string): void {
  const total =
    account !== null && typeof account === 'object' && 'totalCostUSD' in account ? account.totalCostUSD : null
  if (typeof total !== 'number' || !(total >= 0 && total < MAX_TOTAL_USD)) return
  const isOlder = row.client_cost_at !== null && at < row.client_cost_at
  const isSmaller = at === row.client_cost_at && total < (row.client_cost_usd ?? 0)
  if (isOlder || isSmaller) return
  Object.assign(row, { client_cost_usd: total, client_cost: JSON.stringify(account), client_cost_at: at })
}

/** Notes the end of a session, or that it goes on. */
export function learnEnd(row: SessionRow, event: AnyEvent): void {
  if (event.kind === 'session_ended') row.session_end_at = later(row.session_end_at, event.ts_wall)
  else if (RESUMES.has(event.kind)) row.last_active_at = later(row.last_active_at, event.ts_wall)
}

const later = (a: string | null, b: string): string => (a !== null && a > b ? a : b)
