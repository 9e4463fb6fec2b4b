import type { AnyEvent, AspyEvent } from '../../../shared/event.ts'
import type { ReadableDb } from '../database/connection.ts'
import { isTakenBack, settled } from '../identity/settled.ts'
import { contentReader } from '../log/contents.ts'
import { EVENT_COLUMNS, eventOfRow, sightingReader, type EventRow, type Sighting } from '../log/log.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import { clientOfEvent, clientOfSighting } from '../../decode/client/client-of-event.ts'
import { isOwnDeed } from '../../../shared/own-deed.ts'
import { insertInto, updateRow } from '../schema/define-table.ts'
import { TABLES } from '../tables.ts'
import { createActiveTime, type ActiveTime } from './active-time.ts'
import type { Fact } from './fact.ts'
import type { OpenProjection, Projection, ProjectionContext } from './projection.ts'
import { learnClient } from './session-client.ts'
import { addFact, branchOf, learnClientCost, learnEnd, learnOwner, newRow } from './session-facts.ts'
import type { SessionRow } from './session-row.ts'
import { timeBasisOf } from './time-basis.ts'
import { betterTitle, learnTitle, PROMPT_RANK, titleOf, type PromptTitle } from './session-title.ts'

const ROWS_KEPT = 500

/** One row a session; changed in memory, written once a transaction. */
export const sessions: Projection = { name: 'sessions', open: (context) => new SessionRows(context) }

class SessionRows implements OpenProjection {
  readonly #load
  readonly #insert
  readonly #update
  readonly #activeTime: ActiveTime
  readonly #titleOfPrompts: (session: string) => PromptTitle | null
  readonly #rows = new RecentlyUsed<string, SessionRow>(ROWS_KEPT)
  readonly #changed = new Map<string, SessionRow>()

  constructor({ prepare, tables: t }: ProjectionContext) {
    this.#load = prepare<[string], SessionRow>(`SELECT * FROM ${t.sessions} WHERE id = ?`)
    this.#insert = prepare<[SessionRow]>(insertInto(t.sessions, TABLES.sessions))
    this.#update = prepare<[SessionRow]>(updateRow(t.sessions, TABLES.sessions))
    this.#activeTime = createActiveTime(prepare)
    this.#titleOfPrompts = createTitleOfPrompts(prepare)
  }

  apply(event: AnyEvent): void {
    const row = this.#rowOf(event)
    if (isOwnDeed(event)) return
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
    // A fork's copy describes the fork, not the session that the event belongs to.
    if (sighting.session_id === event.session_id) {
      learnClient(row, clientOfSighting(sighting.source, payload, event.session_id), event.ts_wall)
      learnOwner(row, event.id, told('user_id'), told('project'), told('git_branch'))
      const began = told('session_began')
      if (began !== null && began < row.started_at) row.started_at = began
      // The client writes a total beside the last line of an answer, whose end the wire may date later.
      const at = sighting.seen_at > event.ts_wall ? sighting.seen_at : event.ts_wall
      if (payload?.client_cost !== undefined) learnClientCost(row, payload.client_cost, at)
    }
    if (event.kind === 'session_started' && sighting.source === 'hook') row.source = 'hook'
    if (event.kind === 'user_prompt') this.#correctPrompt(row, event, sighting, before)
  }

  change(event: AnyEvent, was: Fact | null, is: Fact | null): void {
    // Its row is deleted with the session.
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
      this.#update.run(row)
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
      this.#insert.run(row)
    }
    this.#rows.set(id, row)
    this.#changed.set(id, row)
    return row
  }

  #correctPrompt(row: SessionRow, event: AspyEvent<'user_prompt'>, sighting: Sighting, before: readonly Sighting[]) {
    if (sighting.payload?.['text'] === undefined && (!isTakenBack([sighting]) || isTakenBack(before))) return
    if (row.title_rank > PROMPT_RANK) return
    const found = this.#titleOfPrompts(event.session_id)
    row.title = found?.title ?? null
    row.title_at = found?.at ?? null
    row.title_rank = found === null ? 0 : PROMPT_RANK
  }
}

/** Returns the title from a session's known prompts. During a rebuild, the log already contains later prompts. */
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
