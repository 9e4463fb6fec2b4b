import { modelApiOf } from '../../../proxy/protocol/api-path.ts'
import { headerOf } from '../../headers.ts'
import type { Wire } from '../wire.ts'
import { continuation } from './continuation.ts'
import { outline } from './outline.ts'
import { decodeRequest, identify, kindOf } from './request.ts'
import { createResponseDecoder } from './response.ts'

/** The Responses API of OpenAI, over HTTP and over WebSocket. */
export const openaiResponses: Wire = {
  name: 'openai-responses',
  list: 'input',
  identify,
  conversationOf: (headers) => JSON.stringify(['thread-id', 'session-id'].map((name) => headerOf(headers, name))),
  kindOf,
  kindWithoutBody: (path) => (modelApiOf(path) === 'responses' ? 'side_call' : 'infrastructure'),
  decodeRequest,
  createResponseDecoder,
  outline,
  continuation,
}
