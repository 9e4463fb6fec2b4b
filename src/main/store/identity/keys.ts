import type { AnyDraft } from '../../decode/draft.ts'
import type { WritableDb } from '../database/connection.ts'
import { LINE_KEY, type EventRow, type KnownEvent, type Log } from '../log/log.ts'
import type { Fetch } from '../log/payload.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import { isOfOneExchange } from './key-forms.ts'
import { TextOccurrences } from './text-occurrences.ts'
import { withIdentity } from './text-keys.ts'

/**
 * Decides whether a draft reports something known: first by its natural keys, and if none is known, by its text. The k-th
 * occurrence of a text in its session and kind has the key `text:<keyed hash>:<k>` in `event_keys`.
 */
export interface Keys {
  /** Returns the event that the draft is a sighting of. */
  findKnown(draft: AnyDraft): EventRow | null
  /** Returns the event, of any kind, that a draft without a fact of its own (`sighting_of`) is stored with. */
  findAnchor(draft: AnyDraft): EventRow | null
  findByKey(key: string): KnownEvent | undefined
  /** True if the draft's text occurs in this session, as the same kind. */
  isTextOf(sessionId: string, draft: AnyDraft): boolean
  /** The keys of a stored event. */
  keysOf(uuid: string): readonly string[]
  /** True if a new event with this uuid is the line that a key of its draft names: that key gets no row. */
  isLine(draft: AnyDraft, uuid: string): boolean
  /** Adds to an event the draft's keys that it does not have yet, and returns them. */
  register(draft: AnyDraft, event: KnownEvent, as: 'new' | 'new line' | 'known'): readonly string[]
  /** Starts a transaction: equal entries of one request are distinguished again. */
  begin(): void
  /** Forgets everything read or added; after a rollback. */
  clear(): void
}

/** Keys of the newest events, one of which is the parent of almost every next event. */
const MAX_RECENT_KEYS = 4000

/** Returns the fields of an event that a key needs, without the payload, which may be megabytes. */
const knownOf = ({ id, uuid, session_id, turn_id, kind }: KnownEvent): KnownEvent => ({
  id,
  uuid,
  session_id,
  turn_id,
  kind,
})

/** `hash` is the store's keyed hash. */
export function createKeys(db: WritableDb, log: Log, fetch: Fetch, hash: (text: string) => string): Keys {
  const texts = new TextOccurrences(db, log, fetch, hash)
  const recent = new RecentlyUsed<string, KnownEvent>(MAX_RECENT_KEYS)
  const { keysOf, newestOf } = prepareStatements(db)
  /** All keys of the events that this transaction added: the session log asks for them right after it. */
  const ofAdded = new Map<string, string[]>()
  /** The last draft that was looked for, if none of its keys is known. */
  let unknown: AnyDraft | null = null

  function byKey(key: string): KnownEvent | undefined {
    const remembered = recent.get(key)
    if (remembered) return remembered
    const known = log.findByKey(key)
    if (known) recent.set(key, known)
    return known
  }

  /** Returns whether the key is new and now belongs to the event. */
  function give(key: string, { id, uuid }: KnownEvent): boolean {
    const isNew = log.addKey(key, id)
    if (isNew) ofAdded.get(uuid)?.push(key)
    return isNew
  }

  return {
    findByKey: (key) => (key.startsWith('event:') ? log.findKnown(key.slice('event:'.length)) : byKey(key)),
    keysOf: (uuid) => ofAdded.get(uuid) ?? keysOf.all(uuid),
    isTextOf(sessionId, draft) {
      const { text_identity: identity } = withIdentity(draft)
      return identity !== undefined && texts.occursIn(sessionId, draft, identity.text)
    },
    findKnown(draft) {
      unknown = draft
      for (const key of draft.keys) {
        const known = byKey(key)
        if (!known) continue
        unknown = null
        const same = known.kind === draft.kind ? known : byKey(alias(key, draft))
        if (same) return log.byId(same.id) ?? null
      }
      if (draft.text_identity) return texts.find(draft, draft.text_identity.within_ms)
      if (draft.uuid === undefined || draft.keys.length > 0) return null
      const row = log.find(draft.uuid)
      return row?.kind === draft.kind && row.session_id === draft.session_id ? row : null
    },
    findAnchor(draft) {
      if (!draft.sighting_of) return null
      // The draft's own keys come first, so that a draft that is read twice is stored once.
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
      const { uuid } = event
      const added: string[] = []
      if (event.kind !== draft.kind && draft.sighting_of) {
        for (const key of draft.keys) give(key, event)
        return added
      }
      const remembered = knownOf(event)
      const ownLine = as === 'new line' ? LINE_KEY + uuid : null
      if (as !== 'known') ofAdded.set(uuid, ownLine === null ? [] : [ownLine])
      for (const key of draft.keys) {
        if (key === ownLine || give(key, event)) {
          added.push(key)
          recent.set(key, remembered)
        }
        // An event of another kind has the key. The alias lets the same draft be recognized next time.
        else if (byKey(key)?.kind !== draft.kind && give(alias(key, draft), event)) added.push(alias(key, draft))
      }
      if (!draft.text_identity) return added
      const isNew = as !== 'known'
      const key = texts.nextKey(draft, isNew ? [] : keysOf.all(uuid))
      if (key !== null) {
        give(key, event)
        added.push(key)
      }
      if (isNew && draft.text_identity.within_ms === null && draft.keys.every(isOfOneExchange)) texts.take(uuid)
      return added
    },
    begin() {
      texts.begin()
      ofAdded.clear()
    },
    clear() {
      recent.clear()
      ofAdded.clear()
    },
  }
}

function prepareStatements(db: WritableDb) {
  return {
    keysOf: db.prepare<[string], string>('SELECT key FROM event_keys WHERE uuid = ?').pluck(),
    newestOf: db
      .prepare<[string, string], string>(
        'SELECT uuid FROM events WHERE session_id = ? AND ts_wall <= ? ORDER BY ts_wall DESC, id DESC LIMIT 1',
      )
      .pluck(),
  }
}

const alias = (key: string, draft: AnyDraft) => `${key}#${draft.kind}`
