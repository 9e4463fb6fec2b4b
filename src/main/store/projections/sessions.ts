import type { AnyEvent, AspyEvent } from '../../../shared/event.ts'
import type { ReadableDb } from '../database/connection.ts'
import { isTakenBack, settled } from '../identity/settled.ts'
import { contentReader } from '../log/contents.ts'
import { EVENT_COLUMNS, eventOfRow, sightingReader, type EventRow, type Sighting } from '../log/log.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import { clientOfEvent, clientOfSighting } from '../../decode/client/client-of-event.ts'
import { createActiveTime, type ActiveTime } from './active-time.ts'
import type { Fact } from './fact.ts'
import type { OpenProjection, Projection, ProjectionContext } from './projection.ts'
import { learnClient } from './session-client.ts'
import { addFact, branchOf, learnClientCost, learnEnd, learnOwner, newRow } from './session-facts.ts'
import { insertRow, loadRow, SESSION_COLUMNS, updateRow, type SessionRow } from './session-row.ts'
import { timeBasisOf } from './time-basis.ts'
import { betterTitle, learnTitle, PROMPT_RANK, titleOf, type PromptTitle } from './session-title.ts'

const ROWS_KEPT = 500

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
, api_errors INTEGER NOT NULL DEFAULT 0, failed_tools INTEGER NOT NULL DEFAULT 0, client TEXT NOT NULL DEFAULT 'unknown', client_version TEXT, client_certainty INTEGER NOT NULL DEFAULT 0, client_at TEXT, time_basis TEXT NOT NULL DEFAULT 'line' CHECK (time_basis IN ('wire', 'line', 'file')), measured_events INTEGER NOT NULL DEFAULT 0, dated_events INTEGER NOT NULL DEFAULT 0, unproven_sender INTEGER) STRICT`,
    `CREATE INDEX ${own('sessions_open')} ON ${t.sessions} (last_event_at) WHERE ended_at IS NULL`,
    `CREATE INDEX ${own('sessions_by_start')} ON ${t.sessions} (started_at, id)`,
    `CREATE INDEX ${own('sessions_by_project')} ON ${t.sessions} (project, started_at, id)`,
    `CREATE INDEX ${own('sessions_by_last_event')} ON ${t.sessions} (last_event_at, id)`,
    // Has all that totals by client add up: a row of the table takes six times as much.
    `CREATE INDEX ${own('sessions_by_client')} ON ${t.sessions} (client, started_at, id, prompts, total_tokens, total_cost_usd,
  unpriced_calls, tool_calls, thinking_blocks, errors, api_errors, failed_tools, active_ms, time_basis)`,
    `CREATE INDEX ${own('sessions_unproven')} ON ${t.sessions} (id) WHERE unproven_sender = 1`,
    `CREATE INDEX ${own('sessions_by_user')} ON ${t.sessions} (user_id, started_at, id)`,
  ],
  open: (context) => new SessionRows(context),
}

class SessionRows implements OpenProjection {
  readonly #load
  readonly #insert
  readonly #update
  readonly #activeTime: ActiveTime
  readonly #titleOfPrompts: (session: string) => PromptTitle | null
  readonly #rows = new RecentlyUsed<string, SessionRow>(ROWS_KEPT)
  readonly #changed = new Map<string, SessionRow>()

  constructor({ prepare, tables: t }: ProjectionContext) {
    this.#load = prepare<[string], SessionRow>(loadRow(t.sessions))
    this.#insert = prepare(insertRow(t.sessions))
    this.#update = prepare(updateRow(t.sessions))
    this.#activeTime = createActiveTime(prepare)
    this.#titleOfPrompts = createTitleOfPrompts(prepare)
  }

  apply(event: AnyEvent): void {
    const row = this.#rowOf(event)
    row.active_ms += this.#activeTime.change(event, row.last_event_at)
    if (event.ts_wall < row.started_at) row.started_at = event.ts_wall
    if (event.ts_wall > row.last_event_at) row.last_event_at = event.ts_wall
    row.turn_count = Math.max(row.turn_count, event.turn_id)
    learnOwner(row, event.id, event.user_id, event.project, branchOf(event))
    if (event.kind === 'session_started' && event.source === 'hook') row.source = 'hook'
    learnTitle(row, event)
    if (event.kind === 'state_change' && event.payload.name === 'client_cost')
      learnClientCost(row, event.payload.to, event.ts_wall)
    learnEnd(row, event)
    if (event.kind === 'model_request' && event.payload.unproven_sender === true) row.unproven_sender = 1
    learnClient(row, clientOfEvent(event), event.ts_wall)
  }

  applySighting(event: AnyEvent, sighting: Sighting, before: readonly Sighting[]): void {
    const row = this.#rowOf(event)
    const { payload } = sighting
    const told = (name: string) => (typeof payload?.[name] === 'string' ? payload[name] : null)
    // A fork's copy tells of the fork, not of the session that the event belongs to.
    if (sighting.session_id === event.session_id) {
      learnClient(row, clientOfSighting(sighting.source, payload, event.session_id), event.ts_wall)
      learnOwner(row, event.id, told('user_id'), told('project'), told('git_branch'))
      const began = told('session_began')
      if (began !== null && began < row.started_at) row.started_at = began
      if (payload?.client_cost !== undefined) learnClientCost(row, payload.client_cost, sighting.seen_at)
    }
    if (event.kind === 'session_started' && sighting.source === 'hook') row.source = 'hook'
    if (event.kind === 'user_prompt') this.#correctPrompt(row, event, sighting, before)
  }

  change(event: AnyEvent, was: Fact | null, is: Fact | null): void {
    // Its row goes with the session.
    if (is === null) return
    const row = this.#rowOf(event)
    if (was !== null) addFact(row, event, was, -1)
    addFact(row, event, is, 1)
  }

  flush(): void {
    for (const row of this.#changed.values()) {
      row.ended_at =
        row.session_end_at !== null && row.session_end_at >= (row.last_active_at ?? '') ? row.session_end_at : null
      row.time_basis = timeBasisOf(row)
      this.#update.run(...SESSION_COLUMNS.map((column) => row[column]), row.id)
    }
    this.#changed.clear()
  }

  discard(): void {
    this.#rows.clear()
    this.#changed.clear()
    this.#activeTime.discard()
  }

  #rowOf(event: AnyEvent): SessionRow {
    const id = event.session_id
    const pending = this.#changed.get(id)
    if (pending) return pending
    let row = this.#rows.get(id) ?? this.#load.get(id)
    if (!row) {
      row = newRow(event)
      // At once: other tables refer to it within this transaction.
      this.#insert.run(...SESSION_COLUMNS.map((column) => row?.[column] ?? null))
    }
    this.#rows.set(id, row)
    this.#changed.set(id, row)
    return row
  }

  #correctPrompt(
    row: SessionRow,
    event: AspyEvent<'user_prompt'>,
    sighting: Sighting,
    before: readonly Sighting[],
  ): void {
    if (sighting.payload?.['text'] === undefined && (!isTakenBack([sighting]) || isTakenBack(before))) return
    if (row.title_rank > PROMPT_RANK) return
    const found = this.#titleOfPrompts(event.session_id)
    row.title = found?.title ?? null
    row.title_at = found?.at ?? null
    row.title_rank = found === null ? 0 : PROMPT_RANK
  }
}

/**
 * Returns the title that a session's prompts give, as they are known by now. During a rebuild, the log already contains
 * later prompts.
 */
function createTitleOfPrompts(prepare: ProjectionContext['prepare']): (session: string) => PromptTitle | null {
  const log = { prepare } as Pick<ReadableDb, 'prepare'>
  const fetch = contentReader(log)
  const sightingsOf = sightingReader(log as ReadableDb, fetch)
  const promptEvents = prepare<[string], EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = ? AND kind = 'user_prompt' ORDER BY ts_wall, id`,
  )
  return (session) => {
    let title: PromptTitle | null = null
    for (const row of promptEvents.all(session)) {
      const event = eventOfRow(row, fetch)
      if (event.kind !== 'user_prompt') continue
      const known = settled(event, sightingsOf(event))
      if (known.payload.not_a_prompt !== true) title = betterTitle(title, titleOf(known.payload.text, event.ts_wall))
    }
    return title
  }
}
