import { AspyError } from '../../shared/contract/errors.ts'
import type { Json, JsonObject, StoredMessage, StoredRequest } from '../../shared/event.ts'
import { joinRequest } from './take-apart.ts'

/** Where stored requests and their blocks are read from. */
export interface RequestSource {
  /** `payload.request` of the model_request event with this uuid. */
  storedRequest(uuid: string): StoredRequest | null
  getContent(hash: string): string | null
}

/**
 * The body of a request as it was sent, but for secrets, caps, and the bytes of images. Throws `not_found` where there is
 * no such request, `gone` where one that it builds on, or a block of it, is not stored any more.
 */
export function rebuildRequest(source: RequestSource, uuid: string): JsonObject {
  const request = source.storedRequest(uuid)
  if (request === null) throw new AspyError('not_found', `no stored request ${uuid}`)
  const read = (hash: string): Json => {
    const text = source.getContent(hash)
    if (text === null) throw new AspyError('gone', `a block of request ${uuid} is not stored any more`)
    return JSON.parse(text) as Json
  }
  return joinRequest(request, messagesOf(source, uuid, request), read)
}

/** Walks back to the request that still carries the first message; each one adds what lies before the part known so far. */
function messagesOf(source: RequestSource, uuid: string, request: StoredRequest): StoredMessage[] {
  const parts: (readonly StoredMessage[])[] = [request.add]
  const seen = new Set([uuid])
  let { base, keep } = request
  while (keep > 0) {
    const earlier = base === null || seen.has(base) ? null : source.storedRequest(base)
    if (earlier === null || base === null) {
      throw new AspyError('gone', `request ${uuid} builds on ${base ?? 'another'}, which is not stored any more`)
    }
    seen.add(base)
    // Of what the earlier request added, only the part within the first `keep` messages counts.
    if (keep > earlier.keep) parts.push(earlier.add.slice(0, keep - earlier.keep))
    keep = Math.min(keep, earlier.keep)
    base = earlier.base
  }
  return parts.toReversed().flat()
}
