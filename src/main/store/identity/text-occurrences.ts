import type { EventSource } from '../../../shared/event.ts'
import type { AnyDraft } from '../../decode/draft.ts'
import type { WritableDb } from '../database/connection.ts'
import { EVENT_COLUMNS, eventOfRow, LINE_KEY, type EventRow, type Log, type Sighting } from '../log/log.ts'
import type { Fetch } from '../log/payload.ts'
import { formOf, haveConflictingKeys, isOfOneExchange } from './key-forms.ts'
import { occurrence, textKeyPrefix } from './text-keys.ts'

/** An event whose text was looked for. */
export type Occurrence = EventRow & {
  /** 1: its line's key has no row. */
  readonly is_line: number
  readonly text_key: string
  /** 1: it was seen within the time that a draft allows. */
  readonly is_near?: number
}

type Window = [from: string, to: string]

/** Progress of one request's history through the occurrences of a text. */
interface Walk {
  /** The key of the last occurrence that was read, or the text's prefix. */
  after: string
  /** Occurrences that were read and not taken: they did not match an earlier draft, but may match a later one. */
  readonly passed: Occurrence[]
  /** Occurrences that belong to the part of the history that is not read again. */
  earlier: number
}

/** A prompt with the same words within this time is the same one, sent again or after it waited, if it has no answer yet. */
const RETRY_WITHIN_MS = 5 * 60_000
const MAX_OCCURRENCES = 2000
/** Occurrences that a history reads at a time: one first, since the next one is usually free, then more and more. */
const MAX_PAGE = 64
/** The newest occurrences among which a retried prompt is looked for: others belong to the same request. */
const MAX_RETRIED = 20
/** Occurrences that a history remembers to have passed, for each text. */
const MAX_PASSED = 200

const COLUMNS = EVENT_COLUMNS.split(', ')
  .map((column) => `e.${column}`)
  .join(', ')

/** Finds the event that a draft reports by its text: the k-th occurrence of it in a session, as one kind. */
export class TextOccurrences {
  readonly #log: Log
  readonly #fetch: Fetch
  readonly #hash: (text: string) => string
  readonly #statements: ReturnType<typeof prepareStatements>
  /** Events already matched by one request's history. */
  readonly #taken = new Set<string>()
  /** Its walks, by the prefix of the text's keys: taken occurrences are not read again for every repetition. */
  readonly #walks = new Map<string, Walk>()
  /** The request of that history, by session, agent and time. */
  #lastMoment = ''
  /** Computed twice per draft: on lookup and on registration. `isFirst`: no event has the text yet. */
  #last: { readonly draft: AnyDraft; readonly prefix: string; isFirst: boolean } | null = null

  constructor(db: WritableDb, log: Log, fetch: Fetch, hash: (text: string) => string) {
    this.#log = log
    this.#fetch = fetch
    this.#hash = hash
    this.#statements = prepareStatements(db)
  }

  /** Forgets the matches of one request's history. */
  begin(): void {
    this.#taken.clear()
    this.#walks.clear()
    this.#lastMoment = ''
  }

  find(draft: AnyDraft, withinMs: number | null): EventRow | null {
    const moment = `${draft.session_id}\0${draft.agent_id ?? ''}\0${draft.ts_wall}`
    if (moment !== this.#lastMoment) this.begin()
    this.#lastMoment = moment
    const { copied_from: origin } = draft
    const found =
      this.#findIn(draft, withinMs) ??
      (origin === undefined ? null : this.#findIn({ ...draft, session_id: origin }, withinMs))
    if (found === null) return null
    if (withinMs === null) this.#taken.add(found.uuid)
    const { is_line: _, text_key: __, is_near: ___, ...row } = found
    return row
  }

  /** True if the text occurs in the session, as the same kind. */
  occursIn(sessionId: string, draft: AnyDraft, text: string): boolean {
    const prefix = textKeyPrefix({ ...draft, session_id: sessionId }, text, this.#hash)
    return this.#lastKey(prefix) !== undefined
  }

  /** Returns the key of the draft's text for an event that has none yet; null if one of its keys is such a key. */
  nextKey(draft: AnyDraft, known: readonly string[]): string | null {
    const prefix = this.#prefixOf(draft)
    if (known.some((key) => key.startsWith(prefix))) return null
    const isFirst = this.#last?.draft === draft && this.#last.isFirst
    const last = isFirst ? undefined : this.#lastKey(prefix)
    this.#last = null
    return prefix + occurrence(Number(last?.slice(prefix.length) ?? 0) + 1)
  }

  /** Keeps a new event from matching the next draft of the same history. */
  take(uuid: string): void {
    this.#taken.add(uuid)
  }

  #lastKey(prefix: string): string | undefined {
    return this.#statements.lastKey.get(prefix, afterPrefix(prefix))
  }

  #prefixOf(draft: AnyDraft): string {
    if (this.#last?.draft === draft) return this.#last.prefix
    const prefix = textKeyPrefix(draft, draft.text_identity?.text ?? '', this.#hash)
    this.#last = { draft, prefix, isFirst: false }
    return prefix
  }

  #findIn(draft: AnyDraft, withinMs: number | null): Occurrence | null {
    const prefix = this.#prefixOf(draft)
    if (withinMs === null) return this.#nextInHistory(draft, prefix)
    const at = Date.parse(draft.ts_wall)
    return this.#closest(draft, prefix, at, withinMs) ?? this.#retried(draft, prefix, at)
  }

  /** The first occurrence that this history has not taken. Reads each occurrence once a history, not once a draft. */
  #nextInHistory(draft: AnyDraft, prefix: string): Occurrence | null {
    const { earlier = 0, is_answered: isAnswered = false } = draft.text_identity ?? {}
    const walk = this.#walks.get(prefix) ?? { after: prefix, passed: [], earlier }
    this.#walks.set(prefix, walk)
    const isFree = (row: Occurrence) =>
      !this.#taken.has(row.uuid) && this.#canBe(draft, row) && (!isAnswered || this.#isAnswered(row))
    const passed = walk.passed.findIndex(isFree)
    if (passed >= 0) return walk.passed.splice(passed, 1)[0] ?? null
    for (let size = 1; ; size = Math.min(size * 2, MAX_PAGE)) {
      const page = this.#statements.occurrences.all(walk.after, afterPrefix(prefix), size)
      if (this.#last?.draft === draft) this.#last.isFirst = walk.after === prefix && page.length === 0
      for (const row of page) {
        walk.after = row.text_key
        if (isFree(row)) {
          walk.earlier -= 1
          if (walk.earlier < 0) return row
          this.#taken.add(row.uuid)
        }
        if (!this.#taken.has(row.uuid) && walk.passed.length < MAX_PASSED) walk.passed.push(row)
      }
      if (page.length < size) return null
    }
  }

  #canBe(draft: AnyDraft, row: Occurrence): boolean {
    const block = draft.keys.find((key) => key.startsWith('block:'))
    if (block !== undefined) {
      // A request shows what was answered before it. Elsewhere, a message's id would have matched; without one, a source
      // shows each block once.
      if (this.#isFromHistory(row)) {
        if (row.ts_wall <= draft.ts_wall) return false
      } else if (formOf(block) === 'block' || isReportedBy(draft.source, row, this.#log.sightingsOf(row))) return false
    }
    return !haveConflictingKeys(draft.keys, this.#keysOf(row))
  }

  #closest(draft: AnyDraft, prefix: string, at: number, withinMs: number): Occurrence | null {
    const window = timesBetween(at - withinMs, at + withinMs)
    const bounds = [prefix, afterPrefix(prefix), MAX_OCCURRENCES] as const
    let best: { row: Occurrence; distance: number } | null = null
    for (const row of this.#statements.candidates.all(...window, ...window, ...bounds)) {
      if (!this.#canBe(draft, row)) continue
      const sightings = this.#log.sightingsOf(row)
      const times = [row.ts_wall, ...sightings.map(({ seen_at }) => seen_at)]
      const isRepeated = isReportedBy(draft.source, row, sightings)
      if (isRepeated && !this.#isFromPromptList(row) && !this.#isReadAgain(row, draft, times)) continue
      const distance = Math.min(...times.map((time) => Math.abs(Date.parse(time) - at)))
      // A request's history dates its texts by the request, not by when they were said.
      if ((row.is_near === 1 || this.#isFromHistory(row)) && distance < (best?.distance ?? Infinity))
        best = { row, distance }
    }
    return best?.row ?? null
  }

  #retried(draft: AnyDraft, prefix: string, at: number): Occurrence | null {
    const { laterTurn, newest } = this.#statements
    if (draft.source !== 'wire' || !draft.keys.every(isOfOneExchange)) return null
    const last = newest.all(prefix, afterPrefix(prefix), MAX_RETRIED).find((row) => this.#canBe(draft, row))
    if (!last) return null
    if (Math.abs(at - Date.parse(last.ts_wall)) > RETRY_WITHIN_MS) return null
    // Prompts that only hooks told of wait for each other.
    const waiting = isReportedBy('wire', last, this.#log.sightingsOf(last)) ? '' : 'hook'
    if (this.#isAnswered(last) || laterTurn.get(last.session_id, last.turn_id, waiting)) return null
    return last
  }

  #isAnswered({ session_id, turn_id }: EventRow): boolean {
    return this.#statements.isAnswered.get(session_id, turn_id) !== undefined
  }

  #isFromHistory(row: EventRow): boolean {
    return (
      row.payload.includes('"seen_in_history":true') ||
      (row.payload.startsWith('{"$content"') && 'seen_in_history' in eventOfRow(row, this.#fetch).payload)
    )
  }

  /** A transcript is read again, and the event was stored before its kind had a key: only its time identifies it. */
  #isReadAgain(row: Occurrence, draft: AnyDraft, times: readonly string[]): boolean {
    if (draft.source !== 'transcript' || !times.includes(draft.ts_wall)) return false
    return !this.#keysOf(row).some((key) => formOf(key) === 'line')
  }

  /** The client also keeps a list of all prompts, so one source may report a prompt twice. */
  #isFromPromptList(row: Occurrence): boolean {
    return row.source === 'transcript' && this.#keysOf(row).some((key) => key.startsWith('prompt-history:'))
  }

  #keysOf({ id, uuid, is_line }: Occurrence): readonly string[] {
    const keys = this.#statements.keyRows.all(id)
    return is_line === 1 ? [LINE_KEY + uuid, ...keys] : keys
  }
}

const isReportedBy = (source: EventSource, row: EventRow, sightings: readonly Sighting[]): boolean =>
  row.source === source || sightings.some(({ source: other }) => other === source)

const afterPrefix = (prefix: string) => `${prefix.slice(0, -1)};`

/** The first and last time of years with four digits, which the log compares as text. */
const [FIRST_MS, LAST_MS] = [Date.parse('0000-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** Returns two times as the log has them, with no time between them if they cannot be compared as text. */
function timesBetween(from: number, to: number): Window {
  if (!(from >= FIRST_MS && to <= LAST_MS)) return ['~', '']
  return [new Date(from).toISOString(), new Date(to).toISOString()]
}

function prepareStatements(db: WritableDb) {
  return {
    occurrences: db.prepare<[string, string, number], Occurrence>(
      `SELECT ${COLUMNS}, e.is_line, k.key AS text_key FROM key_rows k JOIN events e ON e.id = k.event_id ` +
        'WHERE k.key > ? AND k.key < ? ORDER BY k.key LIMIT ?',
    ),
    newest: db.prepare<[string, string, number], Occurrence>(
      `SELECT ${COLUMNS}, e.is_line, k.key AS text_key FROM key_rows k JOIN events e ON e.id = k.event_id ` +
        'WHERE k.key > ? AND k.key < ? ORDER BY k.key DESC LIMIT ?',
    ),
    // Chooses among them, since a session may repeat one text hundreds of times, each with keys and sightings.
    candidates: db.prepare<[...Window, ...Window, string, string, number], Occurrence>(
      `SELECT * FROM (
         SELECT ${COLUMNS}, e.is_line, occurrence.key AS text_key, e.ts_wall BETWEEN ? AND ? OR EXISTS (
           SELECT 1 FROM sighting_rows s WHERE s.event_id = e.id AND s.seen_at BETWEEN ? AND ?) AS is_near
         FROM (SELECT key, event_id FROM key_rows WHERE key > ? AND key < ? ORDER BY key LIMIT ?) occurrence
         CROSS JOIN events e ON e.id = occurrence.event_id
       )
       WHERE is_near OR instr(payload, '"seen_in_history":true') > 0 OR substr(payload, 1, 10) = '{"$content'
       ORDER BY text_key`,
    ),
    lastKey: db
      .prepare<[string, string], string>(
        'SELECT key FROM key_rows WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT 1',
      )
      .pluck(),
    // Not the view `event_keys`, which joins the log: this runs for each occurrence of a repeated text.
    keyRows: db.prepare<[number], string>('SELECT key FROM key_rows WHERE event_id = ?').pluck(),
    isAnswered: db.prepare<[string, number], number>(
      `SELECT 1 FROM events WHERE session_id = ? AND turn_id = ?
       AND kind IN ('thinking', 'assistant_text', 'tool_call', 'turn_ended') LIMIT 1`,
    ),
    laterTurn: db.prepare<[string, number, string], number>(
      `SELECT 1 FROM events WHERE session_id = ? AND turn_id > ? AND NOT (kind = 'user_prompt' AND source = ?) LIMIT 1`,
    ),
  }
}
