import { PROMPT_WINDOW_MS } from '../../decode/draft-base.ts'
import { naturalKey, type AnyDraft } from '../../decode/draft.ts'
import { isUniqueId } from '../../decode/unique-id.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import { eventOfRow, LINE_KEY, type EventRow, type Log } from '../log/log.ts'
import type { Fetch } from '../log/payload.ts'
import { isSameCall } from './call-names.ts'
import { answerNameIn, ownNameSource } from './key-forms.ts'
import type { Keys } from './keys.ts'
import { textKeyPrefix, withIdentity } from './text-keys.ts'

type Answer = NonNullable<AnyDraft['answer']>

/** Answers whose name is remembered: further drafts of each may follow. */
const ANSWERS_KEPT = 1000
/** The text that remains after redaction: another rule may have left a different one. */
const REDACTED = '[redacted:'

/**
 * Distinguishes answers if their API, or a relay in between, reuses or omits ids. An id joins only reports that agree;
 * any other answer has its own name in its keys, and is found by its text.
 * `hash` is the store's keyed hash.
 */
export function createAnswers(log: Log, keys: Keys, fetch: Fetch, hash: (text: string) => string) {
  /** True if the id of an answer identifies it; keyed by the answer's own name. */
  const decided = new RecentlyUsed<string, boolean>(ANSWERS_KEPT)

  function isNamedById(draft: AnyDraft, { id, own }: Answer): boolean {
    if (id === null) return false
    const known = decided.get(own)
    if (known !== undefined) return known
    const isNamed = findIsNamed(draft, id, own)
    decided.set(own, isNamed)
    return isNamed
  }

  function findIsNamed(draft: AnyDraft, id: string, own: string): boolean {
    const itself = keys.findByKey(firstKeyOf(own))
    if (itself !== undefined) return namesOf(itself.uuid).includes(id)
    const ofWire = draft.source === 'wire' ? [naturalKey.response(id)] : []
    for (const key of [...ofWire, ...draft.keys, naturalKey.usage(id)]) {
      const found = key.startsWith(LINE_KEY) ? undefined : keys.findByKey(key)
      const names = found === undefined ? [] : namesOf(found.uuid)
      const row = found !== undefined && names.includes(id) ? log.byId(found.id) : undefined
      if (row !== undefined) return !contradicts(draft, row)
      if (names.some((name) => ownNameSource(name) !== null)) return false
    }
    return true
  }

  const namesOf = (uuid: string): readonly string[] => keys.keysOf(uuid).flatMap((key) => answerNameIn(key) ?? [])

  /** True if a draft cannot belong to the answer of an event with the same id. */
  function contradicts(draft: AnyDraft, known: EventRow): boolean {
    const [request, ofKnown] = [draft.request_id || null, known.request_id || null]
    if (request !== null && ofKnown !== null && request !== ofKnown) return true
    if (draft.source === 'wire' && known.source === 'wire') return draft.ts_monotonic !== known.ts_monotonic
    if (saysOtherThan(draft, known)) return true
    if (request !== null && request === ofKnown && isUniqueId(request)) return false
    const sightings = log.sightingsOf(known).filter(({ source }) => source === draft.source)
    if (sightings.length > 0) return sightings.every(({ seen_at }) => seen_at !== draft.ts_wall)
    return Math.abs(Date.parse(known.ts_wall) - Date.parse(draft.ts_wall)) > PROMPT_WINDOW_MS
  }

  /** True if the texts differ. One may be the beginning of the other, since an answer may be cut. */
  function saysOtherThan(draft: AnyDraft, known: EventRow): boolean {
    if (draft.kind !== known.kind) return false
    const event = eventOfRow(known, fetch)
    if (draft.kind === 'tool_call') return event.kind === 'tool_call' && !isSameCall(draft, event)
    if (draft.kind !== 'thinking' && draft.kind !== 'assistant_text') return false
    if (event.kind !== draft.kind || hasText(draft, known)) return false
    const [text, other] = [draft.payload.text, event.payload.text ?? ''].map((one) => one.trim())
    if (text === undefined || other === undefined) return false
    return !text.startsWith(other) && !other.startsWith(text) && !(text + other).includes(REDACTED)
  }

  /** True if an event has exactly the text of a draft of its kind, however it is stored. */
  function hasText(draft: AnyDraft, { uuid, session_id }: EventRow): boolean {
    const prefix = textKeyPrefix({ ...draft, session_id }, withIdentity(draft).text_identity?.text ?? '', hash)
    return keys.keysOf(uuid).some((key) => key.startsWith(prefix))
  }

  /** Returns the names that other sources gave to the answer whose blocks are among the parents. */
  function otherNames(parents: readonly string[], own: string): readonly string[] {
    for (const key of parents) {
      const block = answerNameIn(key) === own ? keys.findByKey(key) : undefined
      if (block !== undefined) return namesOf(block.uuid).filter((name) => name !== own)
    }
    return []
  }

  return {
    /** Returns the draft with the keys of its answer. */
    named(draft: AnyDraft): AnyDraft {
      const { answer } = draft
      if (answer === undefined || isNamedById(draft, answer)) return draft
      const { id, own } = answer
      const ofOwn = draft.keys.map((key) => renamed(key, id, own))
      const parents = draft.parents.map((key) => renamed(key, id, own))
      if (draft.kind === 'thinking' && draft.payload.text === '')
        return { ...draft, keys: ofOwn, parents, text_identity: { text: '', within_ms: PROMPT_WINDOW_MS } }
      if (draft.kind !== 'api_usage' && draft.kind !== 'turn_ended') return { ...draft, keys: ofOwn, parents }
      const others = otherNames(parents, own).flatMap((name) => ofOwn.map((key) => renamed(key, own, name)))
      return { ...draft, keys: [...ofOwn, ...others], parents }
    },
    /** Forgets all decisions; after a rollback. */
    clear: () => decided.clear(),
  }
}

function renamed(key: string, from: string | null, to: string): string {
  if (from === null || answerNameIn(key) !== from) return key
  const start = key.indexOf(':') + 1
  return key.slice(0, start) + to + key.slice(start + from.length)
}

/** Returns a key that the first part of an answer has, under any name. */
function firstKeyOf(own: string): string {
  const [source, name = ''] = own.split(/\/(.*)/)
  return source === 'wire' ? naturalKey.exchange(name, 'response') : naturalKey.line(name)
}
