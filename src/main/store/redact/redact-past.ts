import { randomUUID } from 'node:crypto'
import { createArchiveRedaction } from './redact-archives.ts'
import { translated } from '../database/connection.ts'
import { EVENT_COLUMNS, type EventRow } from '../log/log.ts'
import type { Pricing } from '../pricing/pricing.ts'
import { createEventRedaction, type RedactEventsParts } from './redact-event.ts'
import { createRowRedaction } from './redacted-rows.ts'
import { createTableSweep } from './redact-tables.ts'
import { markScrub } from '../delete/scrub.ts'

/** What is done one after the other: the log, whatever else the database holds, archives, what else lies beside it. */
export type PastPhase = 'events' | 'tables' | 'archives' | 'files'

/** How far a redaction of the past has come; kept in the database, so that it goes on after a restart. */
export interface PastState {
  readonly run: string
  /** Stands for the rules: with others it begins anew. */
  readonly rules: string
  readonly phase: PastPhase
  /** Id of the last event, row or archive that is done. */
  readonly after: number
  readonly table: number
  /** Events up to this one are looked at: newer ones were recorded by the rules in force. */
  readonly up_to: number
  readonly events_changed: number
  readonly rows_changed: number
}

export interface PastRedaction {
  /** The one under way; null: none is. */
  state(): PastState | null
  /** Begins, or goes on with what was interrupted, where the rules are the same. */
  begin(rules: string): PastState
  /** One slice of the database, in a transaction of its own; true where something stored was changed. */
  slice(milliseconds: number): boolean
  /** Shows the redactor what archived calls asked for: before anything else, and after each start. */
  noteArchivedCalls(folder: string): Generator<void, void, void>
  /** The archives that are not done, each written anew; yields how many were done of how many. */
  archives(folder: string): Generator<{ readonly done: number; readonly all: number }, void, void>
  /** All is done: nothing is under way any more. */
  finish(): void
}

const KEY = 'redact_past'
const PAGE = 100

export type PastRedactionParts = RedactEventsParts & { readonly pricing: Pricing }

/** Applies a redactor to all that the database holds. Between two slices the store may be used as ever. */
export function createPastRedaction(parts: PastRedactionParts): PastRedaction {
  const { db, redactor } = parts
  const page = db.prepare<[number, number, number], EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`,
  )
  const read = db.prepare<[], string>(`SELECT value FROM metadata WHERE key = '${KEY}'`).pluck()
  const write = db.prepare<[string]>(
    `INSERT INTO metadata (key, value) VALUES ('${KEY}', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  )
  const open = db.prepare("INSERT INTO metadata (key, value) VALUES ('log_open', 'the past is redacted')")
  const close = db.prepare("DELETE FROM metadata WHERE key = 'log_open'")
  let tools: ReturnType<typeof prepareTools> | null = null

  const state = (): PastState | null => {
    const json = read.get()
    return json === undefined ? null : (JSON.parse(json) as PastState)
  }
  const keep = (next: PastState): void => void write.run(JSON.stringify(next))

  function prepareTools() {
    return {
      redactEvents: createEventRedaction(parts),
      rows: createRowRedaction(db, parts.pricing, parts.hash),
      sweep: createTableSweep(db, redactor),
    }
  }

  /** Rows that belong together: a message's texts are read as one, so a page never ends among them. */
  function nextRows(after: number, upTo: number): readonly EventRow[] {
    for (let limit = PAGE; ; limit *= 2) {
      const rows = page.all(after, upTo, limit)
      if (rows.length < limit) return rows
      const end = rows.findLastIndex(({ kind }) => kind !== 'thinking' && kind !== 'assistant_text') + 1
      if (end > 0) return rows.slice(0, end)
    }
  }

  function redactEvents(
    now: PastState,
    deadline: number,
    { redactEvents: redact, rows: projected }: typeof tools & {},
  ) {
    let { after, events_changed } = now
    do {
      const rows = nextRows(after, now.up_to)
      const last = rows.at(-1)
      if (last === undefined) return { ...now, phase: 'tables' as const, after: 0, events_changed }
      for (const group of groupsOf(rows)) {
        const changed = redact(group)
        projected.rewrite(changed)
        events_changed += changed.length
        after = group.at(-1)?.id ?? after
        if (performance.now() >= deadline) break
      }
    } while (performance.now() < deadline)
    return { ...now, after, events_changed }
  }

  function sweepTables(now: PastState, deadline: number, { sweep }: typeof tools & {}): PastState {
    const { table, after, changed } = sweep(now.table, now.after, deadline)
    const rows_changed = now.rows_changed + changed
    if (table !== null) return { ...now, table, after, rows_changed }
    // What was replaced still stands in segments of the indexes, in free pages, in the WAL, in copies.
    markScrub(db)
    return { ...now, phase: 'archives', table: 0, after: 0, rows_changed }
  }

  return {
    state,
    begin(rules) {
      const known = state()
      if (known !== null && known.rules === rules) return known
      const up_to = Number(db.prepare('SELECT coalesce(max(id), 0) FROM events').pluck().get())
      const begun = { after: 0, table: 0, up_to, events_changed: 0, rows_changed: 0 }
      const next: PastState = { run: randomUUID(), rules, phase: 'events', ...begun }
      translated(() => keep(next))
      return next
    },
    slice(milliseconds) {
      const before = state()
      if (before === null || (before.phase !== 'events' && before.phase !== 'tables')) return false
      tools ??= prepareTools()
      const ready = tools
      // What is replaced is overwritten: the pages must not hold it any longer.
      db.pragma('secure_delete = ON')
      const deadline = performance.now() + milliseconds
      const run = db.transaction(() => {
        open.run()
        const after =
          before.phase === 'events' ? redactEvents(before, deadline, ready) : sweepTables(before, deadline, ready)
        keep(after)
        close.run()
        return after
      })
      let after: PastState
      try {
        after = translated(() => run.immediate())
      } catch (error) {
        tools = null
        ready.rows.close()
        throw error
      }
      return after.events_changed !== before.events_changed || after.rows_changed !== before.rows_changed
    },
    *noteArchivedCalls(folder) {
      if (state()?.phase !== 'files') yield* createArchiveRedaction(db, folder, redactor).noteCalls()
    },
    *archives(folder) {
      const first = state()
      if (first?.phase !== 'archives') return
      const archives = createArchiveRedaction(db, folder, redactor)
      const left = archives.remaining(first.after)
      for (const [done, archive] of left.entries()) {
        const steps = archives.redact(archive)
        let step = steps.next()
        for (; !step.done; step = steps.next()) yield { done, all: left.length }
        const now = state()
        if (now === null) return
        const rows_changed = now.rows_changed + Number(step.value)
        translated(() => keep({ ...now, after: archive.id, rows_changed }))
        yield { done: done + 1, all: left.length }
      }
      const last = state()
      if (last !== null) translated(() => keep({ ...last, phase: 'files', after: 0 }))
    },
    finish() {
      translated(() => db.prepare(`DELETE FROM metadata WHERE key = '${KEY}'`).run())
      db.pragma('secure_delete = FAST')
      tools?.rows.close()
      tools = null
    },
  }
}

/** Rows one by one, but the texts of a message together. */
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
