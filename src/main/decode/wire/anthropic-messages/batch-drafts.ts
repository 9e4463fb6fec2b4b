import { naturalKey, type AnyDraft } from '../../draft.ts'
import { batchExchange, batchOfResults, batchResults, batchSession, type BatchResult } from './batches.ts'
import { responseBase, type ResponsePlace } from '../response-facts.ts'
import { messageDrafts } from './response-drafts.ts'

/** The answers and failures in the results of a batch, each in the turn of its request. */
export function batchDrafts({ exchange, context, at }: ResponsePlace, text: string): readonly AnyDraft[] {
  const batchId = batchOfResults(exchange.path)
  if (batchId === null || context.status !== 200) return []
  return batchResults(text, at).flatMap((result) => {
    const item = batchExchange(batchId, result.customId, context.hash)
    const place: ResponsePlace = {
      exchange,
      context: {
        ...context,
        requestKind: 'prompt',
        sessionId: batchSession(batchId),
        agentId: null,
        // The last prompt; a request without one is answered itself.
        tail: [naturalKey.wirePrompt(item, 0), naturalKey.exchange(item, 'request')],
      },
      at,
    }
    return result.message ? messageDrafts(place, result.message, { isEnd: true }) : failureDrafts(place, item, result)
  })
}

function failureDrafts(place: ResponsePlace, item: string, { failure }: BatchResult): readonly AnyDraft[] {
  if (failure === null) return []
  return [
    {
      ...responseBase(place, place.at),
      // The id in the response headers belongs to the request for the results.
      request_id: null,
      kind: 'error',
      payload: { origin: 'upstream', type: failure.type, message: failure.message, status: null },
      success: false,
      error_message: failure.message,
      keys: [naturalKey.exchange(item, 'error')],
      parents: [naturalKey.exchange(item, 'request')],
    },
  ]
}
