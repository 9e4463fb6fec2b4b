import { closeLog, note, noted, openLog, removeNote } from '../database/metadata.ts'
import { randomUUID } from 'node:crypto'
import { createArchiveRedaction } from './redact-archives.ts'
import type { Transactions } from '../database/transactions.ts'
import { translated } from '../database/store-error.ts'
import { EVENT_COLUMNS, type EventRow } from '../log/log.ts'
import type { Pricing } from '../pricing/pricing.ts'
import { EventRedaction, type RedactEventsParts } from './redact-event.ts'
import { createRowRedaction } from './redacted-rows.ts'
import { createTableSweep } from './redact-tables.ts'
import { removePreviews } from '../preview/remove-previews.ts'
import { markScrub } from '../delete/scrub.ts'
import { noteRedactedSessions } from '../log/changes.ts'

/** The order of work: the log, all other tables, the archives, then files next to the database. */
type PastPhase = 'events' | 'tables' | 'archives' | 'files'

/** Progress of a redaction of the past. Stored in the database, so that the run resumes after a restart. */
export interface PastState {
  readonly run: string
  /** Identifies the rules; a run under other rules starts over. */
  readonly rules: string
  readonly phase: PastPhase
  /** Id of the last event, row or archive that is done. */
  readonly after: number
  readonly table: number
  /** Id of the last event to look at: newer ones were recorded under the current rules. */
  readonly up_to: number
  /** Events to look at, and those that were. Ids have gaps where sessions were deleted. */
  readonly events: number
  readonly events_done: number
  readonly events_changed: number
  readonly rows_changed: number
}

const KEY = 'redact_past'
const PAGE = 100

export interface PastRedactionParts extends RedactEventsParts {
  readonly pricing: Pricing
  readonly transactions: Pick<Transactions, 'close'>
  /** Clears every cache of the log. */
  readonly forget: () => void
}

/** The objects that change rows; prepared with the first slice, and again after a failed one. */
interface Tools {
  readonly events: EventRedaction
  readonly rows: ReturnType<typeof createRowRedaction>
  readonly sweep: ReturnType<typeof createTableSweep>
}

/** Applies a redactor to everything in the database. Between two slices the store may be used. */
export class PastRedaction {
  readonly #parts: PastRedactionParts
  readonly #page
  #tools: Tools | null = null

  constructor(parts: PastRedactionParts) {
    this.#parts = parts
    this.#page = parts.db.prepare<[number, number, number], EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`,
    )
  }

  /** The run under way; null if there is none. */
  state(): PastState | null {
    const json = noted(this.#parts.db, KEY)
    return json === undefined
      ? null
      : { events: 0, events_done: 0, ...(JSON.parse(json) as Omit<PastState, 'events' | 'events_done'>) }
  }

  /** Starts a run, or resumes an interrupted one with the same rules. */
  begin(rules: string): PastState {
    const known = this.state()
    if (known !== null && known.rules === rules) return known
    const up_to = Number(this.#parts.db.prepare('SELECT coalesce(max(id), 0) FROM events').pluck().get())
    const events = Number(this.#parts.db.prepare('SELECT count(*) FROM events').pluck().get())
    const start = { after: 0, table: 0, up_to, events, events_done: 0, events_changed: 0, rows_changed: 0 }
    const next: PastState = { run: randomUUID(), rules, phase: 'events', ...start }
    translated(() => {
      // The next import makes them again, under the current rules.
      removePreviews(this.#parts.db)
      this.#save(next)
    })
    return next
  }

  /** Redacts one slice of the database in its own transaction; returns true if anything stored was changed. */
  slice(milliseconds: number): boolean {
    const { transactions, contents, forget } = this.#parts
    transactions.close()
    let changed = true
    try {
      changed = this.#slice(milliseconds)
      contents.committed()
    } finally {
      // Texts, hashes, keys and projects may have changed.
      if (changed) forget()
    }
    return changed
  }

  #slice(milliseconds: number): boolean {
    const { db } = this.#parts
    const before = this.state()
    if (before === null || (before.phase !== 'events' && before.phase !== 'tables')) return false
    const tools = this.#tools ?? this.#prepareTools()
    this.#tools = tools
    // Pages must not keep replaced text.
    db.pragma('secure_delete = ON')
    const deadline = performance.now() + milliseconds
    const run = db.transaction(() => {
      openLog(db, 'the past is redacted')
      const after =
        before.phase === 'events'
          ? this.#redactEvents(before, deadline, tools)
          : this.#sweepTables(before, deadline, tools)
      this.#save(after)
      closeLog(db)
      return after
    })
    let after: PastState
    try {
      after = translated(() => run.immediate())
    } catch (error) {
      this.#tools = null
      tools.rows.close()
      throw error
    }
    return after.events_changed !== before.events_changed || after.rows_changed !== before.rows_changed
  }

  /** Shows the redactor the inputs of archived calls. Call it first, and again after each start. */
  *noteArchivedCalls(folder: string): Generator<void, void, void> {
    const { db, redactor } = this.#parts
    if (this.state()?.phase !== 'files') yield* createArchiveRedaction(db, folder, redactor).noteCalls()
  }

  /** Rewrites the archives that are not done yet; yields progress. */
  *archives(folder: string): Generator<{ readonly done: number; readonly all: number }, void, void> {
    const first = this.state()
    if (first?.phase !== 'archives') return
    const archives = createArchiveRedaction(this.#parts.db, folder, this.#parts.redactor)
    const left = archives.remaining(first.after)
    for (const [done, archive] of left.entries()) {
      const steps = archives.redact(archive)
      let step = steps.next()
      for (; !step.done; step = steps.next()) yield { done, all: left.length }
      const now = this.state()
      if (now === null) return
      const rows_changed = now.rows_changed + Number(step.value)
      translated(() => this.#save({ ...now, after: archive.id, rows_changed }))
      yield { done: done + 1, all: left.length }
    }
    const last = this.state()
    if (last !== null) translated(() => this.#save({ ...last, phase: 'files', after: 0 }))
  }

  /** Ends the run. */
  finish(): void {
    const { db } = this.#parts
    translated(() => removeNote(db, KEY))
    db.pragma('secure_delete = FAST')
    this.#tools?.rows.close()
    this.#tools = null
  }

  #save(next: PastState): void {
    note(this.#parts.db, KEY, JSON.stringify(next))
  }

  #prepareTools(): Tools {
    const { db, pricing, hash, redactor } = this.#parts
    return {
      events: new EventRedaction(this.#parts),
      rows: createRowRedaction(db, pricing, hash),
      sweep: createTableSweep(db, redactor),
    }
  }

  #redactEvents(now: PastState, deadline: number, { events, rows: projected }: Tools): PastState {
    let { after, events_done, events_changed } = now
    do {
      const rows = this.#nextRows(after, now.up_to)
      const last = rows.at(-1)
      if (last === undefined) return { ...now, phase: 'tables', after: 0, events_done, events_changed }
      for (const group of groupsOf(rows)) {
        const changed = events.redact(group)
        projected.rewrite(changed)
        events_changed += changed.length
        events_done += group.length
        after = group.at(-1)?.id ?? after
        if (performance.now() >= deadline) break
      }
    } while (performance.now() < deadline)
    return { ...now, after, events_done, events_changed }
  }

  #sweepTables(now: PastState, deadline: number, { sweep }: Tools): PastState {
    const { table, after, changed } = sweep(now.table, now.after, deadline)
    const rows_changed = now.rows_changed + changed
    if (table !== null) return { ...now, table, after, rows_changed }
    noteRedactedSessions(this.#parts.db)
    // Segments of indexes, free pages and the WAL still hold replaced text.
    markScrub(this.#parts.db, 'redacted')
    return { ...now, phase: 'archives', table: 0, after: 0, rows_changed }
  }

  /** Reads a page that does not end within a message, whose texts are redacted together. */
  #nextRows(after: number, upTo: number): readonly EventRow[] {
    for (let limit = PAGE; ; limit *= 2) {
      const rows = this.#page.all(after, upTo, limit)
      if (rows.length < limit) return rows
      const end = rows.findLastIndex(({ kind }) => kind !== 'thinking' && kind !== 'assistant_text') + 1
      if (end > 0) return rows.slice(0, end)
    }
  }
}

/** Splits rows into groups of one, but keeps the texts of a message together. */
function groupsOf(rows: readonly EventRow[]): EventRow[][] {
  const groups: EventRow[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    const isText = row.kind === 'thinking' || row.kind === 'assistant_text'
    const before = last?.at(-1)?.kind
    if (last && isText && (before === 'thinking' || before === 'assistant_text')) last.push(row)
    else groups.push([row])
  }
  return groups
}
