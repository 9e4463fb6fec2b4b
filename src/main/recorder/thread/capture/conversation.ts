import type { DecodedRequest, LatestWords, RequestHistory } from '../../../decode/wire/wire.ts'
import { createHash } from 'node:crypto'
import type { Json, JsonObject, RequestKind, StoredMessage, StoredRequest } from '../../../../shared/event.ts'
import type { RequestShape } from '../../../../shared/request-shape.ts'
import type { Redactor } from '../../../redaction/redactor.ts'
import { RecentlyUsed } from '../../../base/recently-used.ts'
import type { Ingest } from '../../../store/ingest/ingest.ts'
import { commonPrefix, noKnownParts, splitRequest, type RequestParts } from '../../../requests/request-codec.ts'
import { withoutMedia } from './media.ts'
import { createShapes, type ShapedParts, type Shapes } from './shapes.ts'

/** Bounds the raw messages, system parts and tools whose stored hashes are cached, about 100 bytes each. */
const MAX_KNOWN_PARTS = 50_000
/** Bounds the conversations in memory, and the requests with different beginnings (side calls) of each. */
const MAX_CONVERSATIONS = 200
const MAX_TRACKS = 4

/** A request in stored form, with its context. */
export interface TakenRequest {
  readonly request: StoredRequest
  /** Stored without its betas, which a header names. */
  readonly shape: RequestShape
  readonly history: RequestHistory
  /** An earlier run stored this exchange: only its answer may be missing. */
  readonly alreadyStored: boolean
}

const CONVERSATIONS: ReadonlySet<RequestKind> = new Set(['subagent', 'compaction', 'loop', 'prompt'])

interface Track {
  readonly uuid: string
  readonly messages: readonly StoredMessage[]
  /** Its system prompt and tools; null if an earlier run sent it. */
  readonly parts: ShapedParts | null
  /** Its answer arrived completely, so the client will not retry. False if an earlier run sent it. */
  responded: boolean
  /** When its answer ended, whole or not, or a hook of its calls came; null before. */
  endedAt: number | null
  /** Belongs to a conversation, not a title or probe. A request that shares no message with it shortened the conversation. */
  isConversation: boolean
  tail: readonly string[] | undefined
  words: LatestWords | undefined
}

/** Identifies a request. The exchange and the request event have the same uuid. */
export interface RequestIdentity {
  readonly uuid: string
  readonly sessionId: string
  readonly agentId: string | null
}

/**
 * Remembers what each agent of each session last sent. Compares requests by their stored blocks (redacted, keyed hash), so
 * that the result is the same after a restart. A raw block that was seen before is not redacted again.
 */
export interface Conversations {
  /**
   * Splits a request, keeps its new blocks, and remembers it for the next comparison. `list` is the field that holds its
   * conversation (`messages`).
   */
  take(identity: RequestIdentity, body: JsonObject, list?: 'messages' | 'input'): TakenRequest
  /** Adds the decoder's findings: the kind of request, the parents of its answer, and its latest words. */
  decoded(identity: RequestIdentity, found: Pick<DecodedRequest, 'requestKind' | 'tail' | 'words'>): void
  /** The answer to this request ended at this time (ms since 1970), whole or not. */
  ended(identity: RequestIdentity, at: number, isWhole: boolean): void
  /** The session's client worked at this time (ms since 1970), on what its last answer called for. */
  heard(sessionId: string, at: number): void
  /** Forgets everything: a request was lost, or the store was opened or closed. */
  reset(): void
}

/** Takes functions instead of a store, because the store may be closed and reopened. */
export function createConversations(options: {
  readonly redactor: Redactor
  readonly putContent: Ingest['putContent']
  readonly lastRequest: Ingest['lastRequest']
}): Conversations {
  const { redactor, putContent, lastRequest } = options
  const shapes = createShapes(MAX_KNOWN_PARTS)
  const store = { putContent, hash: redactor.hash }
  const knownParts = new RecentlyUsed<string, readonly string[]>(MAX_KNOWN_PARTS)
  let known = noKnownParts()
  const conversations = new Map<string, Track[]>()

  /** Returns the stored hashes of neighbouring blocks. Redacts them together and keeps new ones. */
  function keep(parts: readonly Json[], isItem = false): readonly string[] {
    const raw = createHash('sha256').update(JSON.stringify(parts)).digest('base64')
    const before = knownParts.get(raw)
    if (before !== undefined) return before
    const bare = parts.map((part) => withoutMedia(part, redactor))
    const redacted = redactor.json(bare)
    const hashes = redacted.map((part, at) =>
      shapes.keep({ part, raw: bare[at] ?? null, sent: parts[at] ?? null, isItem }, store),
    )
    knownParts.set(raw, hashes)
    return hashes
  }

  const keyOf = ({ sessionId, agentId }: Omit<RequestIdentity, 'uuid'>) => JSON.stringify([sessionId, agentId])

  function tracksOf({ sessionId, agentId }: RequestIdentity): Track[] {
    const key = keyOf({ sessionId, agentId })
    const tracks = conversations.get(key) ?? loadTracks(sessionId, agentId)
    conversations.delete(key)
    conversations.set(key, tracks)
    dropEldest(conversations, MAX_CONVERSATIONS)
    return tracks
  }

  function loadTracks(sessionId: string, agentId: string | null): Track[] {
    const last = lastRequest(sessionId, agentId)
    if (!last) return []
    const track = newTrack(last.uuid, { messages: last.messages, system: [], tools: [] })
    return [{ ...track, parts: null, isConversation: true }]
  }

  return {
    take(identity, body, list = 'messages') {
      const parts = splitRequest(body, keep, known, list)
      const tracks = tracksOf(identity)
      // A replayed exchange must not build on itself.
      const others = tracks.filter((track) => track.uuid !== identity.uuid)
      const base = nearest(others, parts.messages)
      const kept = base ? commonPrefix(base.messages, parts.messages) : 0
      const previous = base ?? others.findLast((track) => track.isConversation)
      const repeats = kept > 0 && kept === parts.messages.length && kept === base?.messages.length && !base.responded
      const alreadyStored = others.length < tracks.length
      const system = systemOf(parts, redactor, shapes)
      remember(tracks, newTrack(identity.uuid, { ...parts, system }), base)
      return {
        ...storedForm(parts, system, base ? { ...base, keep: kept } : null, { redactor, shapes, list }),
        history: {
          knownMessages: kept,
          previousMessages: previous?.messages.length ?? 0,
          previousRequestUuid: previous?.uuid ?? null,
          identicalToPrevious: repeats,
          previousResponseSeen: base?.responded ?? false,
          ...(previous?.endedAt ? { lastEndAt: previous.endedAt } : {}),
          ...(previous?.tail ? { previousTail: previous.tail } : {}),
          ...(previous?.words ? { previousWords: previous.words } : {}),
        },
        alreadyStored,
      }
    },
    decoded(identity, { requestKind, tail, words }) {
      const track = tracksOf(identity).find((entry) => entry.uuid === identity.uuid)
      if (!track) return
      track.isConversation = CONVERSATIONS.has(requestKind)
      track.tail = tail
      track.words = words
    },
    ended(identity, at, isWhole) {
      const track = tracksOf(identity).find((entry) => entry.uuid === identity.uuid)
      if (track) Object.assign(track, { endedAt: Math.max(at, track.endedAt ?? 0), responded: isWhole })
    },
    heard(sessionId, at) {
      const track = conversations.get(keyOf({ sessionId, agentId: null }))?.findLast((entry) => entry.isConversation)
      if (track) track.endedAt = Math.max(at, track.endedAt ?? 0)
    },
    reset() {
      conversations.clear()
      knownParts.clear()
      known = noKnownParts()
    },
  }
}

/** Returns the hashes of the system prompt. A plain string is a parameter of the stored request. */
function systemOf({ system, parameters }: RequestParts, redactor: Redactor, shapes: Shapes): readonly string[] {
  const plain = parameters['system'] ?? parameters['instructions']
  if (typeof plain !== 'string') return system
  const redacted = redactor.json(plain)
  return [shapes.plainSystem(typeof redacted === 'string' ? redacted : '', plain, redactor.hash)]
}

/** Returns the stored form of a request: its difference from `base`, and its shape for the cache. */
function storedForm(
  parts: RequestParts,
  system: readonly string[],
  base: (Track & { readonly keep: number }) | null,
  {
    redactor,
    shapes,
    list,
  }: { readonly redactor: Redactor; readonly shapes: Shapes; readonly list: 'messages' | 'input' },
): Pick<TakenRequest, 'request' | 'shape'> {
  const parameters = redactor.json({ ...parts.parameters })
  const marks = redactor.json(parts.cacheControl)
  const keep = base?.keep ?? 0
  return {
    request: {
      base: base?.uuid ?? null,
      keep,
      add: parts.messages.slice(keep),
      system: parts.system,
      tools: parts.tools,
      parameters,
      ...(Object.keys(marks).length > 0 ? { cache_control: marks } : {}),
      ...(Object.keys(parts.markOrder).length > 0 ? { mark_order: parts.markOrder } : {}),
      ...(list === 'messages' ? {} : { list }),
    },
    shape: shapes.of({ ...parts, system, parameters, marks }, base),
  }
}

/** Returns the request that shares the most messages with the new one, the newest of equals; undefined if none does. */
function nearest(tracks: readonly Track[], messages: readonly StoredMessage[]): Track | undefined {
  let best: Track | undefined
  let most = 0
  for (const track of tracks) {
    const shared = commonPrefix(track.messages, messages)
    if (shared > 0 && shared >= most) [best, most] = [track, shared]
  }
  return best
}

/** Appends the request and removes the one that it continues. */
function remember(tracks: Track[], track: Track, replaced: Track | undefined): void {
  const known = tracks.findIndex((entry) => entry.uuid === track.uuid || entry === replaced)
  if (known >= 0) tracks.splice(known, 1)
  tracks.push(track)
  if (tracks.length > MAX_TRACKS) tracks.shift()
}

const newTrack = (uuid: string, parts: ShapedParts & { readonly messages: readonly StoredMessage[] }): Track => ({
  uuid,
  messages: parts.messages,
  parts: { system: parts.system, tools: parts.tools },
  responded: false,
  endedAt: null,
  isConversation: false,
  tail: undefined,
  words: undefined,
})

function dropEldest<K, V>(map: Map<K, V>, limit: number): void {
  const eldest = map.keys().next()
  if (map.size > limit && !eldest.done) map.delete(eldest.value)
}
