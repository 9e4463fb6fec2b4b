import type { AnyDraft } from '../../decode/draft.ts'
import type { WritableDb } from '../database/connection.ts'
import { EVENT_COLUMNS, eventOfRow, LINE_KEY, type EventRow, type KnownEvent, type Log } from '../log/log.ts'
import type { Fetch } from '../log/payload.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'

/**
 * Finds out whether a draft tells of something known. First by its natural keys; where none is known, by its text: the
 * k-th time it occurs in its session and kind stands in `event_keys` as `text:<keyed hash>:<k>`.
 */
export interface Keys {
  /** The event that the draft is a sighting of. */
  findKnown(draft: AnyDraft): EventRow | null
  /** The event, of whatever kind, that a draft without a fact of its own (`sighting_of`) is kept with. */
  findAnchor(draft: AnyDraft): EventRow | null
  findByKey(key: string): KnownEvent | undefined
  /** Whether the draft's text occurs in this session, as the same kind. */
  isTextOf(sessionId: string, draft: AnyDraft): boolean
  /** By which keys an event is known. */
  keysOf(uuid: string): readonly string[]
  /** Whether a new event that takes this uuid is the line that a key of its draft names, which then has no row. */
  isLine(draft: AnyDraft, uuid: string): boolean
  /** Gives an event the draft's keys that it has not got, and says which. */
  register(draft: AnyDraft, event: KnownEvent, as: 'new' | 'new line' | 'known'): readonly string[]
  /** A new transaction: what one request showed twice is told apart anew. */
  begin(): void
  /** After a rollback: what was read or added is forgotten. */
  clear(): void
}

/** An event with a text that was looked for; `is_line`: its line's key has no row. */
type Occurrence = EventRow & { readonly is_line: number }

/** Keys of the newest events: what comes next nearly always hangs from one of them. */
const KEYS_REMEMBERED = 4000

/** A prompt sent again within this time, word for word, that got no answer yet: the client's retry. */
const RETRY_WITHIN_MS = 5 * 60_000
const MAX_OCCURRENCES = 2000

/** Marks a text_identity whose text is already a digest (see spool.ts). */
export const DIGEST_MARK = '\u0000digest:'

/** The digest that stands for an identity's text wherever the text itself must not. */
export function identityDigest(text: string, hash: (text: string) => string): string {
  return text.startsWith(DIGEST_MARK) ? text : DIGEST_MARK + hash(text.replaceAll('\r\n', '\n').trim())
}

/** The key of a text in its session and kind, up to the number of its occurrence. */
export function textKeyPrefix(
  { session_id, kind }: Pick<AnyDraft, 'session_id' | 'kind'>,
  text: string,
  hash: (text: string) => string,
): string {
  return `text:${hash(`${session_id}\0${kind}\0${identityDigest(text, hash)}`)}:`
}

/** The number of an occurrence as it stands in a key, so that keys sort as numbers do. */
export const occurrence = (k: number): string => String(k).padStart(6, '0')

/**
 * The draft with what identifies it by its text: blocks of an answer too, so that a request's history that shows them
 * without their message's id meets them, in either order. Taken before the text is cut.
 */
export function withIdentity(draft: AnyDraft): AnyDraft {
  if (draft.text_identity || (draft.kind !== 'thinking' && draft.kind !== 'assistant_text')) return draft
  return draft.payload.text === '' ? draft : { ...draft, text_identity: { text: draft.payload.text, within_ms: null } }
}

/** Keys over one writer; `hash` is the store's keyed hash. */
export function createKeys(db: WritableDb, log: Log, fetch: Fetch, hash: (text: string) => string): Keys {
  const columns = EVENT_COLUMNS.split(', ')
    .map((column) => `e.${column}`)
    .join(', ')
  const recent = new RecentlyUsed<string, KnownEvent>(KEYS_REMEMBERED)
  const byKey = (key: string): KnownEvent | undefined => {
    const remembered = recent.get(key)
    if (remembered) return remembered
    const known = log.findByKey(key)
    if (known) recent.set(key, known)
    return known
  }
  const occurrences = db.prepare<[string, string], Occurrence>(
    `SELECT ${columns}, e.is_line FROM key_rows k JOIN events e ON e.id = k.event_id WHERE k.key >= ? AND k.key < ? ` +
      `ORDER BY k.key LIMIT ${MAX_OCCURRENCES}`,
  )
  const lastOccurrence = db
    .prepare<[string, string], string>('SELECT key FROM key_rows WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT 1')
    .pluck()
  const keysOf = db.prepare<[string], string>('SELECT key FROM event_keys WHERE uuid = ?').pluck()
  const keyRowsOf = db.prepare<[number], string>('SELECT key FROM key_rows WHERE event_id = ?').pluck()
  // Asked for each occurrence of a text that is said again and again, so by the rows and not by the view, which joins the log.
  const keysOfOccurrence = ({ id, uuid, is_line }: Occurrence): readonly string[] =>
    is_line === 1 ? [LINE_KEY + uuid, ...keyRowsOf.all(id)] : keyRowsOf.all(id)
  const answered = db.prepare<[string, number], number>(
    `SELECT 1 FROM events WHERE session_id = ? AND turn_id = ?
     AND kind IN ('thinking', 'assistant_text', 'tool_call', 'turn_ended') LIMIT 1`,
  )
  const laterTurn = db.prepare<[string, number], number>(
    'SELECT 1 FROM events WHERE session_id = ? AND turn_id > ? LIMIT 1',
  )

  const newestOf = db
    .prepare<[string, string], string>(
      'SELECT uuid FROM events WHERE session_id = ? AND ts_wall <= ? ORDER BY ts_wall DESC, id DESC LIMIT 1',
    )
    .pluck()

  /** The draft that was looked for last, where none of its keys is known. */
  let unknown: AnyDraft | null = null

  /** Events that one request's history already matched, and the request (by its time) they were matched in. */
  const taken = new Set<string>()
  let takenIn = ''

  // Asked for twice of each draft: when it is looked for, and when it is registered. `isFirst`: no event has the text yet.
  let lastTextKey: { readonly draft: AnyDraft; readonly key: string; isFirst: boolean } | null = null
  const textKey = (draft: AnyDraft): string => {
    if (lastTextKey?.draft === draft) return lastTextKey.key
    const key = textKeyPrefix(draft, draft.text_identity?.text ?? '', hash)
    lastTextKey = { draft, key, isFirst: false }
    return key
  }
  const afterPrefix = (prefix: string) => `${prefix.slice(0, -1)};`

  const isFromHistory = (row: EventRow): boolean =>
    row.payload.includes('"seen_in_history":true') ||
    (row.payload.startsWith('{"$content"') && 'seen_in_history' in eventOfRow(row, fetch).payload)

  /** The client keeps a list of all prompts besides its transcripts, so that one source tells of a prompt twice. */
  const isFromPromptList = (row: Occurrence): boolean =>
    row.source === 'transcript' && keysOfOccurrence(row).some((key) => key.startsWith('prompt-history:'))

  const findByText = (draft: AnyDraft, withinMs: number | null): Occurrence | null => {
    const prefix = textKey(draft)
    const named = draft.keys.some((key) => formOf(key) === 'block')
    const known = occurrences.all(prefix, afterPrefix(prefix))
    if (lastTextKey?.draft === draft) lastTextKey.isFirst = known.length === 0
    const candidates = known
      // A block of a named message can only be one that a history showed without the name.
      .filter((row) => !named || isFromHistory(row))
      .filter((row) => !conflicts(draft.keys, keysOfOccurrence(row)))
    if (withinMs === null) return candidates.find((row) => !taken.has(row.uuid)) ?? null
    const at = Date.parse(draft.ts_wall)
    let best: { row: Occurrence; distance: number } | null = null
    for (const row of candidates) {
      const sightings = log.sightingsOf(row)
      const isToldAgain = row.source === draft.source || sightings.some(({ source }) => source === draft.source)
      if (isToldAgain && !isFromPromptList(row)) continue
      const times = [row.ts_wall, ...sightings.map(({ seen_at }) => seen_at)]
      const distance = Math.min(...times.map((time) => Math.abs(Date.parse(time) - at)))
      // What only a request's history showed is dated by that request, not by when it was said.
      if ((distance <= withinMs || isFromHistory(row)) && distance < (best?.distance ?? Infinity))
        best = { row, distance }
    }
    return best?.row ?? findRetried(draft, candidates, at)
  }

  const findRetried = (draft: AnyDraft, candidates: readonly Occurrence[], at: number): Occurrence | null => {
    const last = candidates.at(-1)
    if (!last || draft.source !== 'wire' || !draft.keys.every(ofOneExchange)) return null
    if (Math.abs(at - Date.parse(last.ts_wall)) > RETRY_WITHIN_MS) return null
    if (answered.get(last.session_id, last.turn_id) || laterTurn.get(last.session_id, last.turn_id)) return null
    return last
  }

  return {
    findByKey: (key) => (key.startsWith('event:') ? log.findKnown(key.slice('event:'.length)) : byKey(key)),
    keysOf: (uuid) => keysOf.all(uuid),
    isTextOf(sessionId, draft) {
      const { text_identity: identity } = withIdentity(draft)
      const prefix = textKeyPrefix({ ...draft, session_id: sessionId }, identity?.text ?? '', hash)
      return identity !== undefined && lastOccurrence.get(prefix, afterPrefix(prefix)) !== undefined
    },
    findKnown(draft) {
      let isKnown = false
      unknown = null
      for (const key of draft.keys) {
        const known = byKey(key)
        if (!known) continue
        isKnown = true
        const same = known.kind === draft.kind ? known : byKey(alias(key, draft))
        if (same) return log.byId(same.id) ?? null
      }
      unknown = isKnown ? null : draft
      if (draft.text_identity) {
        const moment = `${draft.session_id}\0${draft.agent_id ?? ''}\0${draft.ts_wall}`
        if (moment !== takenIn) taken.clear()
        takenIn = moment
        const { within_ms } = draft.text_identity
        const { copied_from: origin } = draft
        const found =
          findByText(draft, within_ms) ??
          (origin === undefined ? null : findByText({ ...draft, session_id: origin }, within_ms))
        if (found === null) return null
        if (within_ms === null) taken.add(found.uuid)
        const { is_line: _, ...row } = found
        return row
      }
      if (draft.uuid === undefined || draft.keys.length > 0) return null
      const row = log.find(draft.uuid)
      return row?.kind === draft.kind && row.session_id === draft.session_id ? row : null
    },
    findAnchor(draft) {
      if (!draft.sighting_of) return null
      // First where it was kept before, so that what is read twice is kept once.
      for (const key of [...draft.keys, ...draft.sighting_of]) {
        const uuid = key.startsWith('session:')
          ? newestOf.get(key.slice('session:'.length), draft.ts_wall)
          : byKey(key)?.uuid
        const row = uuid === undefined ? undefined : log.find(uuid)
        if (row && (row.session_id === draft.session_id || draft.keys.includes(key))) return row
      }
      return null
    },
    isLine(draft, uuid) {
      const key = LINE_KEY + uuid
      return draft.keys.includes(key) && (draft === unknown || byKey(key) === undefined)
    },
    register(draft, event, as) {
      const { id, uuid } = event
      const added: string[] = []
      if (event.kind !== draft.kind && draft.sighting_of) {
        for (const key of draft.keys) log.addKey(key, id)
        return added
      }
      const ownLine = as === 'new line' ? LINE_KEY + uuid : null
      for (const key of draft.keys) {
        if (key === ownLine || log.addKey(key, id)) {
          added.push(key)
          recent.set(key, event)
        }
        // Another kind of event has it: kept under a form of its own, so that the same draft is known next time.
        else if (byKey(key)?.kind !== draft.kind && log.addKey(alias(key, draft), id)) added.push(alias(key, draft))
      }
      if (!draft.text_identity) return added
      const isNew = as !== 'known'
      const prefix = textKey(draft)
      if (isNew || !keysOf.all(uuid).some((key) => key.startsWith(prefix))) {
        const isFirst = lastTextKey?.draft === draft && lastTextKey.isFirst
        const last = isFirst ? undefined : lastOccurrence.get(prefix, afterPrefix(prefix))
        const key = prefix + occurrence(Number(last?.slice(prefix.length) ?? 0) + 1)
        log.addKey(key, id)
        added.push(key)
        lastTextKey = null
      }
      if (isNew && draft.text_identity.within_ms === null && draft.keys.length === 0) taken.add(uuid)
      return added
    },
    begin() {
      taken.clear()
      takenIn = ''
    },
    clear: () => recent.clear(),
  }
}

const alias = (key: string, draft: AnyDraft) => `${key}#${draft.kind}`

/** Keys that only say where one exchange showed the fact: another exchange may show it again. */
const ofOneExchange = (key: string): boolean => /^exchange:.*:(prompt|history):|^spool:/.test(key)

/**
 * What a key is about (`block`, `line`, `agent:start` …): of two keys that are about the same, one fact has only one. Null
 * for keys that say nothing of the kind.
 */
function formOf(key: string): string | null {
  const parts = key.split(':')
  const [name = ''] = parts
  if (name === 'text' || name === 'spool') return null
  if (name === 'agent') return `agent:${parts.at(-1)}`
  // Within one exchange, two places of its history are two facts.
  return name === 'exchange' ? parts.slice(0, 3).join(':') : name
}

/** True where both have a key of the same form, and none in common: two lines, two blocks, two prompts. */
function conflicts(keys: readonly string[], known: readonly string[]): boolean {
  return keys.some((key) => {
    const form = formOf(key)
    if (form === null) return false
    const sameForm = known.filter((other) => formOf(other) === form)
    return sameForm.length > 0 && !keys.some((mine) => sameForm.includes(mine))
  })
}
