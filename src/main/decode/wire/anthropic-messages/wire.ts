import { classifyRequest } from '../../client/claude-code/request-kind.ts'
import { modelApiOf } from '../../../proxy/protocol/api-path.ts'
import { headerOf } from '../../headers.ts'
import type { Wire } from '../wire.ts'
import { batchExchange, batchRequests, batchSession, isBatchCreation } from './batches.ts'
import { outline } from './outline.ts'
import { repeated } from './repeated-conversation.ts'
import { decodeRequest } from './request.ts'
import { createResponseDecoder } from './response.ts'
import { identifySender } from './sender.ts'

/** The Messages API of Anthropic. */
export const anthropicMessages: Wire = {
  name: 'anthropic-messages',
  list: 'messages',
  identify: identifySender,
  conversationOf: (headers) =>
    JSON.stringify(['x-claude-code-session-id', 'x-claude-code-agent-id'].map((name) => headerOf(headers, name))),
  kindOf: classifyRequest,
  // The answer is recorded even if the request could not be decoded.
  kindWithoutBody: (path) => (modelApiOf(path) === 'messages' ? 'side_call' : 'infrastructure'),
  decodeRequest,
  createResponseDecoder,
  outline,
  repeated,
  batches: {
    isCreation: isBatchCreation,
    requestsOf: batchRequests,
    path: '/v1/messages',
    sessionOf: batchSession,
    exchangeOf: batchExchange,
  },
}
