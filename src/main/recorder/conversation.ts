import { createHash } from 'node:crypto'
import type { Config } from '../../shared/config.ts'
import type { Json, JsonObject, StoredMessage, StoredRequest } from '../../shared/event.ts'
import type { Redactor } from '../redaction/redactor.ts'
import type { Store } from '../store/store.ts'
import { cappedBlock } from '../pipeline/caps.ts'
import { commonPrefix, splitRequest } from './stored-request.ts'
import { withoutMedia } from './media.ts'

/** Raw blocks whose stored hash is remembered: some 100 bytes each. */
const MAX_KNOWN_BLOCKS = 50_000
/** Conversations remembered at once, and requests that differ from the start remembered in each (side calls). */
const MAX_CONVERSATIONS = 200
const MAX_TRACKS = 4

/** What the request before it says about a request. */
export interface RequestComparison {
  /** Messages at the beginning that the request before carried too. */
  readonly knownMessages: number
  /** Messages that the request before carried in all; 0: there was none. */
  readonly previousMessages: number
  /** uuid of the request that this one repeats, since no whole answer came; null: it says something else. */
  readonly retryOf: string | null
  /** The answer to the request before was recorded: the assistant's message that follows it is no news. */
  readonly previousResponseSeen: boolean
}

/** A request as it is stored, and what came of comparing it. */
export interface TakenRequest {
  readonly request: StoredRequest
  readonly comparison: RequestComparison
  /** This very exchange is in the store from an earlier run: only its answer may be missing. */
  readonly alreadyStored: boolean
}

interface Track {
  readonly uuid: string
  readonly messages: readonly StoredMessage[]
  /** Its answer came whole: the client will not ask again. False too where an earlier run sent it and nobody knows. */
  responded: boolean
}

/** Which request of which agent; the exchange's uuid is the request event's too. */
export interface RequestIdentity {
  readonly uuid: string
  readonly sessionId: string
  readonly agentId: string | null
}

/**
 * Knows what each agent of each session last sent. Requests are compared by their blocks as they are stored (redacted,
 * keyed hash), so that a restart compares like the run before; a raw block that was seen is not redacted again.
 */
export interface Conversations {
  /** Takes a request apart, keeps its new blocks, and makes it the one that the next is compared with. */
  take(identity: RequestIdentity, body: JsonObject): TakenRequest
  /** The answer to this request was recorded whole. */
  responded(identity: RequestIdentity): void
  /** The request could not be stored: nothing may build on it. */
  forget(identity: RequestIdentity): void
}

/** Dependencies: the store's contents are asked for by function, since the store may come and go. */
export function createConversations(options: {
  readonly redactor: Redactor
  readonly config: Config
  readonly putContent: Store['putContent']
  readonly lastRequest: Store['lastRequest']
}): Conversations {
  const { redactor, config, putContent, lastRequest } = options
  const knownBlocks = new Map<string, string>()
  const conversations = new Map<string, Track[]>()

  /** Hash of the block as it is stored; redacts and keeps it where it is new. */
  function keep(part: Json): string {
    const raw = createHash('sha256').update(JSON.stringify(part)).digest('base64')
    const known = knownBlocks.get(raw)
    if (known !== undefined) {
      knownBlocks.delete(raw)
      knownBlocks.set(raw, known)
      return known
    }
    const hash = putContent(JSON.stringify(redactor.json(cappedBlock(withoutMedia(part, redactor), config.lifestats))))
    knownBlocks.set(raw, hash)
    dropEldest(knownBlocks, MAX_KNOWN_BLOCKS)
    return hash
  }

  function tracksOf({ sessionId, agentId }: RequestIdentity): Track[] {
    const key = JSON.stringify([sessionId, agentId])
    const known = conversations.get(key)
    conversations.delete(key)
    const tracks = known ?? loadTracks(sessionId, agentId)
    conversations.set(key, tracks)
    dropEldest(conversations, MAX_CONVERSATIONS)
    return tracks
  }

  function loadTracks(sessionId: string, agentId: string | null): Track[] {
    const last = lastRequest(sessionId, agentId)
    return last ? [{ uuid: last.uuid, messages: last.messages, responded: false }] : []
  }

  return {
    take(identity, body) {
      const parts = splitRequest(body, keep)
      const tracks = tracksOf(identity)
      // A replayed exchange must not build on itself.
      const tracksBefore = tracks.length
      const candidates = tracks.filter((track) => track.uuid !== identity.uuid)
      const previous = nearest(candidates, parts.messages)
      const keptMessages = previous ? commonPrefix(previous.messages, parts.messages) : 0
      const parameters = redactor.json(withHashedUser(parts.parameters, redactor))
      const repeats =
        previous !== undefined &&
        !previous.responded &&
        keptMessages === parts.messages.length &&
        keptMessages === previous.messages.length
      const track = { uuid: identity.uuid, messages: parts.messages, responded: false }
      remember(tracks, track, keptMessages > 0 ? previous : undefined)
      return {
        request: {
          base: keptMessages > 0 && previous ? previous.uuid : null,
          keep: keptMessages,
          add: parts.messages.slice(keptMessages),
          system: parts.system,
          tools: parts.tools,
          parameters,
          ...(Object.keys(parts.cacheControl).length > 0 ? { cache_control: redactor.json(parts.cacheControl) } : {}),
        },
        comparison: {
          knownMessages: keptMessages,
          previousMessages: (previous ?? candidates.at(-1))?.messages.length ?? 0,
          retryOf: repeats ? previous.uuid : null,
          previousResponseSeen: previous?.responded ?? false,
        },
        alreadyStored: candidates.length < tracksBefore,
      }
    },
    responded(identity) {
      const track = tracksOf(identity).find((entry) => entry.uuid === identity.uuid)
      if (track) track.responded = true
    },
    forget(identity) {
      conversations.delete(JSON.stringify([identity.sessionId, identity.agentId]))
      knownBlocks.clear()
    },
  }
}

/** The request that shares most messages with the new one, the newest of equals; undefined: none shares any. */
function nearest(tracks: readonly Track[], messages: readonly StoredMessage[]): Track | undefined {
  let best: Track | undefined
  let most = 0
  for (const track of tracks) {
    const shared = commonPrefix(track.messages, messages)
    if (shared > 0 && shared >= most) [best, most] = [track, shared]
  }
  return best
}

/** Puts the newest at the end, in the place of the one that it goes on from. */
function remember(tracks: Track[], track: Track, replaced: Track | undefined): void {
  const known = tracks.findIndex((entry) => entry.uuid === track.uuid || entry === replaced)
  if (known >= 0) tracks.splice(known, 1)
  tracks.push(track)
  if (tracks.length > MAX_TRACKS) tracks.shift()
}

/** `metadata.user_id` names the account and the device: only a keyed hash of it is stored. */
function withHashedUser(parameters: JsonObject, redactor: Redactor): JsonObject {
  const metadata = parameters['metadata']
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return parameters
  const { user_id: userId, ...others } = metadata as JsonObject
  if (userId === undefined || userId === null) return parameters
  return { ...parameters, metadata: { ...others, user_id: redactor.hash(JSON.stringify(userId)) } }
}

function dropEldest<K, V>(map: Map<K, V>, limit: number): void {
  const eldest = map.keys().next()
  if (map.size > limit && !eldest.done) map.delete(eldest.value)
}
