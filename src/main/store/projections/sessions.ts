import type { AnyEvent, AspyEvent, Json } from '../../../shared/event.ts'
import type { Sighting } from '../log/log.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import { createActiveTime } from './active-time.ts'
import type { Projection } from './projection.ts'
import { firstLine, insertRow, loadRow, SESSION_COLUMNS, updateRow, type SessionRow } from './session-row.ts'

const ROWS_KEPT = 500

/** What shows that a session goes on after a SessionEnd. */
const RESUMES = new Set<string>(['session_started', 'user_prompt', 'assistant_text', 'tool_call'])

/** Names under which a client's own title comes; the person's own ranks higher. */
const TITLE_RANK: { readonly [name: string]: number } = {
  title: 2,
  ai_title: 2,
  'ai-title': 2,
  summary: 2,
  custom_title: 3,
  'custom-title': 3,
}

/** One row a session; changed in memory, written once a transaction. */
export const sessions: Projection = {
  name: 'sessions',
  define: (t, own) => [
    `CREATE TABLE ${t.sessions} (
  id              TEXT PRIMARY KEY,
  user_id         TEXT,
  project         TEXT,
  git_branch      TEXT,
  started_at      TEXT    NOT NULL,
  ended_at        TEXT,
  last_event_at   TEXT    NOT NULL,
  source          TEXT    NOT NULL CHECK (source IN ('hook', 'warmup', 'first_seen', 'transcript')),
  title           TEXT,
  turn_count      INTEGER NOT NULL DEFAULT 0,
  prompts         INTEGER NOT NULL DEFAULT 0,
  total_tokens    INTEGER NOT NULL DEFAULT 0,
  total_cost_usd  REAL    NOT NULL DEFAULT 0,
  unpriced_calls  INTEGER NOT NULL DEFAULT 0,
  tool_calls      INTEGER NOT NULL DEFAULT 0,
  thinking_blocks INTEGER NOT NULL DEFAULT 0,
  errors          INTEGER NOT NULL DEFAULT 0,
  active_ms       REAL    NOT NULL DEFAULT 0,
  client_cost_usd REAL,             -- the client's own total, as its transcript last gave it
  client_cost     TEXT,             -- JSON: that account in full, by model
  client_cost_at  TEXT,
  -- What the columns above were drawn from, so that older history and later sightings settle them the same way in any order.
  user_from       INTEGER,          -- event id that told user_id, project, git_branch: the lowest one
  project_from    INTEGER,
  branch_from     INTEGER,
  title_rank      INTEGER NOT NULL DEFAULT 0, -- 1: first prompt, 2: the client's title, 3: the person's own
  title_at        TEXT,
  session_end_at  TEXT,             -- the last SessionEnd
  last_active_at  TEXT              -- the last start, prompt or answer: after a SessionEnd, the session was resumed
) STRICT`,
    `CREATE INDEX ${own('sessions_open')} ON ${t.sessions} (last_event_at) WHERE ended_at IS NULL`,
    `CREATE INDEX ${own('sessions_by_start')} ON ${t.sessions} (started_at, id)`,
    `CREATE INDEX ${own('sessions_by_project')} ON ${t.sessions} (project, started_at, id)`,
    `CREATE INDEX ${own('sessions_by_last_event')} ON ${t.sessions} (last_event_at, id)`,
    `CREATE INDEX ${own('sessions_by_user')} ON ${t.sessions} (user_id, started_at, id)`,
  ],
  open({ prepare, tables: t, usageFacts }) {
    const load = prepare<[string], SessionRow>(loadRow(t.sessions))
    const insert = prepare(insertRow(t.sessions))
    const update = prepare(updateRow(t.sessions))
    const activeTime = createActiveTime(prepare)
    const rows = new RecentlyUsed<string, SessionRow>(ROWS_KEPT)
    const changed = new Map<string, SessionRow>()

    const rowOf = (event: AnyEvent): SessionRow => {
      const id = event.session_id
      const pending = changed.get(id)
      if (pending) return pending
      let row = rows.get(id) ?? load.get(id)
      if (!row) {
        row = newRow(event)
        // At once: other tables refer to it within this transaction.
        insert.run(...SESSION_COLUMNS.map((column) => row?.[column] ?? null))
      }
      rows.set(id, row)
      changed.set(id, row)
      return row
    }

    const addUsage = (row: SessionRow, event: AspyEvent<'api_usage'>, sightings: readonly Sighting[], sign: 1 | -1) => {
      const facts = usageFacts(event, sightings)
      if (!facts) return
      row.total_tokens += sign * facts.tokens
      row.total_cost_usd += sign * (facts.cost_usd ?? 0)
      if (facts.cost_usd === null) row.unpriced_calls += sign
    }

    return {
      apply(event) {
        const row = rowOf(event)
        row.active_ms += activeTime.change(event, row.last_event_at)
        if (event.ts_wall < row.started_at) row.started_at = event.ts_wall
        if (event.ts_wall > row.last_event_at) row.last_event_at = event.ts_wall
        row.turn_count = Math.max(row.turn_count, event.turn_id)
        learnOwner(row, event.id, event.user_id, event.project, branchOf(event))
        count(row, event)
        if (event.kind === 'api_usage') addUsage(row, event, [], 1)
        learnTitle(row, event)
        if (event.kind === 'state_change' && event.payload.name === 'client_cost')
          learnClientCost(row, event.payload.to, event.ts_wall)
        learnEnd(row, event)
      },
      applySighting(event, sighting, before) {
        const row = rowOf(event)
        const { payload } = sighting
        const told = (name: string) => (typeof payload?.[name] === 'string' ? payload[name] : null)
        // A fork's copy tells of the fork, not of the session that the event belongs to.
        if (sighting.session_id === event.session_id) {
          learnOwner(row, event.id, told('user_id'), told('project'), told('git_branch'))
          if (payload?.client_cost !== undefined) learnClientCost(row, payload.client_cost, sighting.seen_at)
        }
        if (event.kind === 'session_started' && sighting.source === 'hook') row.source = 'hook'
        if (event.kind !== 'api_usage' || payload === null) return
        addUsage(row, event, before, -1)
        addUsage(row, event, [...before, sighting], 1)
      },
      loseSightings(event, before, after) {
        if (event.kind !== 'api_usage') return
        addUsage(rowOf(event), event, before, -1)
        addUsage(rowOf(event), event, after, 1)
      },
      flush() {
        for (const row of changed.values()) {
          row.ended_at =
            row.session_end_at !== null && row.session_end_at >= (row.last_active_at ?? '') ? row.session_end_at : null
          update.run(...SESSION_COLUMNS.map((column) => row[column]), row.id)
        }
        changed.clear()
      },
      discard() {
        rows.clear()
        changed.clear()
        activeTime.discard()
      },
    }
  },
}

function newRow(event: AnyEvent): SessionRow {
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
  }
}

/** How the session came to be known: by its first event. */
function sourceOf(event: AnyEvent): SessionRow['source'] {
  if (event.source === 'transcript') return 'transcript'
  if (event.kind === 'session_started' && event.source === 'hook') return 'hook'
  return event.kind === 'model_request' && event.payload.request_kind === 'warmup' ? 'warmup' : 'first_seen'
}

function count(row: SessionRow, event: AnyEvent): void {
  if (event.kind === 'session_started' && event.source === 'hook') row.source = 'hook'
  else if (event.kind === 'user_prompt') row.prompts += 1
  else if (event.kind === 'tool_call') row.tool_calls += 1
  else if (event.kind === 'thinking' && event.payload.text !== '') row.thinking_blocks += 1
  else if (event.kind === 'error') row.errors += 1
}

/** What the earliest event that knows says, or a sighting of it. */
function learnOwner(
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

function branchOf(event: AnyEvent): string | null {
  return event.kind === 'user_prompt' || event.kind === 'session_started' ? (event.payload.git_branch ?? null) : null
}

/** The earliest prompt's first line, until the client or the person gives a title. */
function learnTitle(row: SessionRow, event: AnyEvent): void {
  if (event.kind === 'user_prompt') {
    const isEarlier = row.title_rank === 1 && row.title_at !== null && event.ts_wall < row.title_at
    if (row.title_rank > 1 || (row.title_rank === 1 && !isEarlier)) return
    const title = firstLine(event.payload.text)
    if (title !== '') Object.assign(row, { title, title_rank: 1, title_at: event.ts_wall })
  } else if (event.kind === 'state_change' && typeof event.payload.to === 'string') {
    const rank = TITLE_RANK[event.payload.name] ?? 0
    const title = firstLine(event.payload.to)
    if (rank > 0 && rank >= row.title_rank && title !== '')
      Object.assign(row, { title, title_rank: rank, title_at: event.ts_wall })
  }
}

/** The client's last word on what it spent; of two at the same time, the larger. */
function learnClientCost(row: SessionRow, account: Json, at: string): void {
  const total =
    account !== null && typeof account === 'object' && 'totalCostUSD' in account ? account.totalCostUSD : null
  if (typeof total !== 'number') return
  const isOlder = row.client_cost_at !== null && at < row.client_cost_at
  const isSmaller = at === row.client_cost_at && total < (row.client_cost_usd ?? 0)
  if (isOlder || isSmaller) return
  Object.assign(row, { client_cost_usd: total, client_cost: JSON.stringify(account), client_cost_at: at })
}

function learnEnd(row: SessionRow, event: AnyEvent): void {
  if (event.kind === 'session_ended') row.session_end_at = later(row.session_end_at, event.ts_wall)
  else if (RESUMES.has(event.kind)) row.last_active_at = later(row.last_active_at, event.ts_wall)
}

const later = (a: string | null, b: string): string => (a !== null && a > b ? a : b)
