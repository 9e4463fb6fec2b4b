import type { AnyEvent, AspyEvent, Json } from '../../../shared/event.ts'
import type { ReadableDb } from '../database/connection.ts'
import { isTakenBack, settled } from '../identity/settled.ts'
import { contentReader } from '../log/contents.ts'
import { EVENT_COLUMNS, eventOfRow, sightingReader, type EventRow, type Sighting } from '../log/log.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import { createActiveTime } from './active-time.ts'
import type { Projection } from './projection.ts'
import { firstLine, insertRow, loadRow, SESSION_COLUMNS, updateRow, type SessionRow } from './session-row.ts'

const ROWS_KEPT = 500

/** What shows that a session goes on after a SessionEnd. */
const RESUMES = new Set<string>(['session_started', 'user_prompt', 'assistant_text', 'tool_call'])

/** The rank of a title that a prompt gives. */
const PROMPT_RANK = 1

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
    const log = { prepare } as Pick<ReadableDb, 'prepare'>
    const fetch = contentReader(log)
    const sightingsOf = sightingReader(log as ReadableDb, fetch)
    const promptEvents = prepare<[string], EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = ? AND kind = 'user_prompt' ORDER BY ts_wall, id`,
    )
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

    /** The title that the session's prompts give, as they are known by now. A rebuild finds later prompts in the log already. */
    const titleOfPrompts = (session: string): PromptTitle | null => {
      let title: PromptTitle | null = null
      for (const row of promptEvents.all(session)) {
        const event = eventOfRow(row, fetch)
        if (event.kind !== 'user_prompt') continue
        const known = settled(event, sightingsOf(event))
        if (known.payload.not_a_prompt !== true) title = betterTitle(title, titleOf(known.payload.text, event.ts_wall))
      }
      return title
    }

    const correctPrompt = (
      row: SessionRow,
      event: AspyEvent<'user_prompt'>,
      sighting: Sighting,
      before: readonly Sighting[],
    ): void => {
      const isNowTakenBack = isTakenBack([sighting]) && !isTakenBack(before)
      if (isNowTakenBack) row.prompts -= 1
      if (!isNowTakenBack && sighting.payload?.['text'] === undefined) return
      if (row.title_rank > PROMPT_RANK) return
      const found = titleOfPrompts(event.session_id)
      Object.assign(row, {
        title: found?.title ?? null,
        title_at: found?.at ?? null,
        title_rank: found === null ? 0 : PROMPT_RANK,
      })
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
          const began = told('session_began')
          if (began !== null && began < row.started_at) row.started_at = began
          if (payload?.client_cost !== undefined) learnClientCost(row, payload.client_cost, sighting.seen_at)
        }
        if (event.kind === 'session_started' && sighting.source === 'hook') row.source = 'hook'
        if (event.kind === 'user_prompt') correctPrompt(row, event, sighting, before)
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

interface PromptTitle {
  readonly title: string
  readonly at: string
}

/** A slash command, a `!` command or a `#` note says little of a session. A path that begins with a slash is not a command. */
const isCommand = (title: string): boolean => /^(?:!|#\S|\/[a-z][\w:-]*(?:\s|$))/i.test(title)

function titleOf(text: string, at: string): PromptTitle | null {
  const title = firstLine(text)
  return title === '' ? null : { title, at }
}

/** The earliest prompt; a command only while there is nothing else. */
function betterTitle(known: PromptTitle | null, next: PromptTitle | null): PromptTitle | null {
  if (known === null || next === null) return known ?? next
  if (isCommand(known.title) !== isCommand(next.title)) return isCommand(known.title) ? next : known
  return next.at < known.at ? next : known
}

/** The earliest prompt's first line, until the client or the person gives a title. */
function learnTitle(row: SessionRow, event: AnyEvent): void {
  if (event.kind === 'user_prompt') {
    if (row.title_rank > PROMPT_RANK) return
    const known = row.title === null || row.title_at === null ? null : { title: row.title, at: row.title_at }
    const found = betterTitle(known, titleOf(event.payload.text, event.ts_wall))
    if (found !== null) Object.assign(row, { title: found.title, title_rank: PROMPT_RANK, title_at: found.at })
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
