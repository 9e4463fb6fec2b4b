import { AspyError } from '../../shared/contract/errors.ts'
import type { Json, JsonObject, StoredMessage, StoredRequest } from '../../shared/event.ts'
import { joinRequest } from './request-codec.ts'

/** Reads stored requests and their blocks. */
export interface RequestSource {
  /** Returns `payload.request` of the model_request event with this uuid. */
  storedRequest(uuid: string): StoredRequest | null
  getContent(hash: string): string | null
}

/**
 * Returns the body of a stored request as it was sent, except for secrets, size limits and the bytes of images.
 * @throws AspyError not_found, or gone if a request that it builds on or one of its blocks is no longer stored
 */
export function restoreRequest(source: RequestSource, uuid: string): JsonObject {
  const request = source.storedRequest(uuid)
  if (request === null) throw new AspyError('not_found', `no stored request ${uuid}`)
  const read = (hash: string): Json => {
    const text = source.getContent(hash)
    if (text === null) throw new AspyError('gone', `a block of request ${uuid} is not stored any more`)
    return JSON.parse(text) as Json
  }
  return joinRequest(request, messagesOf(source, uuid, request), read)
}

/** Walks back to the request that still carries the first message; each one adds the messages before the known part. */
function messagesOf(source: RequestSource, uuid: string, request: StoredRequest): StoredMessage[] {
  const parts: (readonly StoredMessage[])[] = [request.add]
  const seen = new Set([uuid])
  let { base, keep } = request
  while (keep > 0) {
    const earlier = base === null || seen.has(base) ? null : source.storedRequest(base)
    if (earlier === null || base === null)
      throw new AspyError('gone', `request ${uuid} builds on ${base ?? 'another'}, which is not stored any more`)
    seen.add(base)
    // Only what the earlier request added within the first `keep` messages counts.
    if (keep > earlier.keep) parts.push(earlier.add.slice(0, keep - earlier.keep))
    keep = Math.min(keep, earlier.keep)
    base = earlier.base
  }
  return parts.toReversed().flat()
}
