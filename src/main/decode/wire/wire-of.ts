import type { JsonObject } from '../../../shared/event.ts'
import { anthropicMessages } from './anthropic-messages/wire.ts'
import { openaiResponses } from './openai-responses/wire.ts'
import type { Wire } from './wire.ts'

/** Wires by the prefix of the path that chose their upstream. */
const BY_PREFIX: readonly (readonly [prefix: string, wire: Wire])[] = [['/openai/', openaiResponses]]

/** Returns the API that a path belongs to, without the path secret. */
export function wireOf(path: string): Wire {
  return BY_PREFIX.find(([prefix]) => path.startsWith(prefix))?.[1] ?? anthropicMessages
}

/** Returns the API that a body is written for, by the list that holds its conversation. */
export function wireOfBody(body: JsonObject): Wire {
  return BY_PREFIX.find(([, wire]) => body[wire.list] !== undefined)?.[1] ?? anthropicMessages
}
