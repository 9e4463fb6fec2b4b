import type { Json } from '../../../../shared/event.ts'
import { RecentlyUsed } from '../../../base/recently-used.ts'
import type { RepeatedConversation } from '../../../decode/wire/wire.ts'

/** Bounds the beginnings in memory, and the conversations with the same beginning. */
const MAX_BEGINNINGS = 500
const MAX_ALIKE = 50
/** Bounds the exchanges in progress whose conversation is known. */
const MAX_EXCHANGES = 2000
/** Calls without messages (files, models, batches) of one caller are one session until they pause for so long. */
const CALLS_IDLE_MS = 30 * 60_000

/** A request of a caller that names no session. */
export interface UnnamedRequest {
  readonly exchange: string
  /** `SessionIdentity.unnamed`: shared by all requests of the caller that begin with the same message. */
  readonly beginning: string
  /** ISO day, which a new session's id shows. */
  readonly day: string
  /** Date.now() of the request. */
  readonly wall: number
  /** Empty: the request has none, or its body could not be read. */
  readonly messages: readonly Json[]
  readonly instructions: Json
  readonly digest: RepeatedConversation['digest']
  /** It only counts tokens: the real request may follow with the same messages. */
  readonly isCount: boolean
  /** Number of times that the caller sent it before; null if it does not report it. */
  readonly retries: number | null
  /** The session that the request names; null if it names none, unlike others of its conversation. */
  readonly named: string | null
}

/** A session with this beginning that the store has, and its last request. */
export interface StoredConversation {
  readonly sessionId: string
  readonly uuid: string
  readonly messages: readonly Json[]
}

interface Conversation {
  readonly sessionId: string
  exchange: string
  /** Null: unknown, read from the store. */
  system: string | null
  /** Digests of the messages in the newest request. */
  messages: readonly string[]
  /** Message counts of the requests so far. */
  lengths: number[]
  answer: string | null
  state: 'counted' | 'open' | 'failed' | 'answered'
}

/**
 * Finds the session of a caller that names none, such as a bare SDK. Each request repeats its conversation, so a
 * request that begins with an earlier one continues it, at any time and on any connection. Any other request begins a
 * session, even if its text was sent before, unless it retries a request that failed.
 */
export class UnnamedSessions {
  readonly #hash: (text: string) => string
  readonly #stored: (beginning: string, limit: number) => readonly StoredConversation[]
  readonly #alike = new RecentlyUsed<string, Conversation[]>(MAX_BEGINNINGS)
  readonly #byExchange = new RecentlyUsed<string, Conversation>(MAX_EXCHANGES)
  readonly #calls = new RecentlyUsed<string, { readonly sessionId: string; at: number }>(MAX_BEGINNINGS)

  constructor(
    hash: (text: string) => string,
    /** Reads the newest stored conversations with this beginning. */
    stored: (beginning: string, limit: number) => readonly StoredConversation[],
  ) {
    this.#hash = hash
    this.#stored = stored
  }

  /** Returns the session's id. The same exchange always gets the same one, also after a restart. */
  sessionOf(request: UnnamedRequest): string {
    if (request.messages.length === 0 && request.named === null) return this.#sessionOfCall(request)
    const messages = request.messages.map((message) => request.digest(message, this.#hash))
    const system = this.#hash(JSON.stringify(request.instructions))
    const alike = this.#withBeginning(request)
    const known =
      request.named === null
        ? (alike.findLast(({ exchange }) => exchange === request.exchange) ??
          alike.findLast((conversation) => isRepeat(conversation, messages, system, request)) ??
          longest(alike, messages, system))
        : alike.findLast(({ sessionId }) => sessionId === request.named)
    if (known) {
      continueWith(known, messages, system, request)
      this.#byExchange.set(request.exchange, known)
      return known.sessionId
    }
    const begun: Conversation = {
      sessionId: request.named ?? newId(request, this.#hash),
      exchange: request.exchange,
      system,
      messages,
      lengths: [messages.length],
      answer: null,
      state: request.isCount ? 'counted' : 'open',
    }
    alike.push(begun)
    if (alike.length > MAX_ALIKE) alike.shift()
    this.#byExchange.set(request.exchange, begun)
    return begun.sessionId
  }

  /** Notes the end of an exchange; `answer`: digest of its whole answer, null if none came. */
  ended(exchange: string, answer: string | null): void {
    const conversation = this.#byExchange.get(exchange)
    if (conversation?.exchange !== exchange || conversation.state !== 'open') return
    conversation.state = answer === null ? 'failed' : 'answered'
    conversation.answer = answer
  }

  #sessionOfCall(request: UnnamedRequest): string {
    const last = this.#calls.get(request.beginning)
    if (last && request.wall - last.at < CALLS_IDLE_MS) {
      last.at = Math.max(last.at, request.wall)
      return last.sessionId
    }
    const sessionId = newId(request, this.#hash)
    this.#calls.set(request.beginning, { sessionId, at: request.wall })
    return sessionId
  }

  #withBeginning({ beginning, digest }: UnnamedRequest): Conversation[] {
    const known = this.#alike.get(beginning)
    if (known) return known
    const read = this.#stored(beginning, MAX_ALIKE).map(({ sessionId, uuid, messages }): Conversation => ({
      sessionId,
      exchange: uuid,
      system: null,
      messages: messages.map((message) => digest(message, this.#hash)),
      lengths: [messages.length],
      answer: null,
      state: 'answered',
    }))
    const conversations = read.toReversed()
    this.#alike.set(beginning, conversations)
    return conversations
  }
}

function newId({ beginning, day, exchange }: UnnamedRequest, hash: (text: string) => string): string {
  return `${beginning}-${day}-${hash(exchange).slice(0, 8)}`
}

/**
 * True if the messages are those of the conversation's newest request, and this request has a reason to repeat them.
 */
function isRepeat(
  known: Conversation,
  messages: readonly string[],
  system: string,
  { isCount, retries }: UnnamedRequest,
): boolean {
  if (known.messages.length !== messages.length || sharedLength(known.messages, messages) < messages.length)
    return false
  if (known.system !== null && known.system !== system) return false
  return isCount || known.state === 'counted' || known.state === 'failed' || (retries ?? 0) > 0
}

/** The conversation that the messages continue: the one with this answer, then the longest, this system, the newest. */
function longest(alike: readonly Conversation[], messages: readonly string[], system: string) {
  const ranked = alike.flatMap((conversation, at) => {
    const shared = continuedLength(conversation, messages)
    if (shared === 0) return []
    const { answer } = conversation
    const isAnswer = shared === conversation.messages.length && answer !== null && answer === messages[shared]
    return [{ conversation, rank: [Number(isAnswer), shared, Number(conversation.system === system), at] }]
  })
  return ranked.toSorted((one, other) => compareRanks(other.rank, one.rank))[0]?.conversation
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  for (const [at, value] of one.entries()) if (value !== other[at]) return value - (other[at] ?? 0)
  return 0
}

/**
 * Messages shared with a conversation that they continue; 0 if they do not. They must repeat an entire earlier request
 * and, unless it is the newest, its answer too: examples at the start of many requests are not a conversation.
 */
function continuedLength(known: Conversation, messages: readonly string[]): number {
  const shared = sharedLength(known.messages, messages)
  const newest = known.messages.length
  const continues = known.lengths.some(
    (length) => length < messages.length && (length === newest ? shared >= length : shared > length),
  )
  return continues ? shared : 0
}

function sharedLength(one: readonly string[], other: readonly string[]): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at += 1) if (one[at] !== other[at]) return at
  return length
}

function continueWith(
  known: Conversation,
  messages: readonly string[],
  system: string,
  { exchange, isCount }: UnnamedRequest,
): void {
  if (isCount && sharedLength(known.messages, messages) === messages.length) return
  const kept = sharedLength(known.messages, messages)
  known.lengths = [...new Set([...known.lengths.filter((length) => length <= kept), messages.length])]
  known.messages = messages
  known.system = system
  known.exchange = exchange
  known.answer = null
  known.state = isCount ? 'counted' : 'open'
}
