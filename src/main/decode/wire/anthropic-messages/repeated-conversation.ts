import { apiPathOf } from '../../../proxy/protocol/api-path.ts'
import { headerOf } from '../../headers.ts'
import { listOf } from '../../../../shared/json-fields.ts'
import type { RepeatedConversation } from '../wire.ts'
import { answerDigest, messageDigest } from './message-digest.ts'

/** The messages of a body, which each request of a conversation repeats. */
export const repeated: RepeatedConversation = {
  messagesOf: (body) => listOf(body['messages']),
  instructionsOf: (body) => body['system'] ?? null,
  digest: messageDigest,
  answerDigest,
  isCount: (path) => /^count_tokens$/i.test(apiPathOf(path)?.below ?? ''),
  retriesOf(headers) {
    const retries = headerOf(headers, 'x-stainless-retry-count')
    return retries === null ? null : Number(retries)
  },
}
