import type { RequestExchange, RequestHistory, SessionIdentity, Wire } from '../../../decode/wire/wire.ts'
import type { Json } from '../../../../shared/event.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import type { Conversations, TakenRequest } from './conversation.ts'

/** Requests decoded between two turns for other work. */
const REQUESTS_A_PART = 50

/** A request in a batch is always new: it repeats nothing. */
const NO_HISTORY: RequestHistory = {
  knownMessages: 0,
  previousResponseSeen: false,
  identicalToPrevious: false,
  previousRequestUuid: null,
}

/** Drafts, and how to store their requests, by exchange id. */
export interface DecodedPart {
  readonly drafts: readonly AnyDraft[]
  readonly taken: ReadonlyMap<string, TakenRequest>
}

export interface BatchOptions {
  readonly wire: Pick<Wire, 'batches' | 'decodeRequest'>
  readonly open: RequestExchange
  readonly batchId: string
  /** The body that created the batch. */
  readonly body: Json | null
  readonly owner: SessionIdentity
  readonly conversations: Conversations
  readonly hash: (text: string) => string
}

/** Decodes the requests of a batch that was created, each as a separate request in the session of the batch. */
export function* batchParts(options: BatchOptions): Generator<DecodedPart> {
  const { batches, decodeRequest } = options.wire
  if (batches === undefined) return
  const requests = batches.requestsOf(options.body)
  for (let from = 0; from < requests.length; from += REQUESTS_A_PART) {
    const taken = new Map<string, TakenRequest>()
    const drafts = requests.slice(from, from + REQUESTS_A_PART).flatMap(({ customId, params }) => {
      const exchange = batches.exchangeOf(options.batchId, customId, options.hash)
      const identity = { ...options.owner, sessionId: batches.sessionOf(options.batchId), unnamed: null, agentId: null }
      const place = { uuid: exchange, sessionId: identity.sessionId, agentId: null }
      const request = options.conversations.take(place, params)
      if (request.alreadyStored) return []
      taken.set(exchange, request)
      const lookups = {
        hash: options.hash,
        findAgentCall: () => null,
        identity,
        bodyBytes: Buffer.byteLength(JSON.stringify(params)),
      }
      // Its body makes it a separate request, which is recorded under the path that it would be sent to.
      const decoded = decodeRequest({ ...options.open, exchange, path: batches.path }, params, NO_HISTORY, lookups)
      options.conversations.decoded(place, decoded)
      return decoded.drafts.map((draft) => ofBatch(draft, options.open.path))
    })
    if (drafts.length > 0) yield { drafts, taken }
  }
}

/** The path is that of the batch. Equal prompts are separate requests, since no other source reports them. */
function ofBatch(draft: AnyDraft, path: string): AnyDraft {
  if (draft.kind === 'model_request') return { ...draft, payload: { ...draft.payload, path } }
  const { text_identity: _, ...rest } = draft
  return rest
}
