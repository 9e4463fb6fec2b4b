import type { JsonObject } from '../../../shared/event.ts'
import { apiPathOf, type ModelApi } from '../../proxy/protocol/api-path.ts'
import { anthropicMessages } from './anthropic-messages/wire.ts'
import { openaiResponses } from './openai-responses/wire.ts'
import type { Wire } from './wire.ts'

const BY_API: Readonly<Record<ModelApi, Wire>> = { messages: anthropicMessages, responses: openaiResponses }
/** The path prefix that chooses an upstream of the Responses API. */
const RESPONSES_PREFIX = '/openai/'

/** Returns the API that a path belongs to, without the path secret. */
export function wireOf(path: string): Wire {
  const api = apiPathOf(path)?.api ?? (path.startsWith(RESPONSES_PREFIX) ? 'responses' : 'messages')
  return BY_API[api]
}

/** Returns the API that a body is written for, by the list that holds its conversation. */
export const wireOfBody = (body: JsonObject): Wire =>
  body[openaiResponses.list] !== undefined ? openaiResponses : anthropicMessages
