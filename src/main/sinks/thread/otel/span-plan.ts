import type { Usage } from '../../../../shared/event.ts'

/** A span before the SDK makes it: what it is named, when it was, and what it hangs from. */
export interface SpanPlan {
  /** Tells the span among all: its id is drawn from it, so that the same span sent twice is the same. */
  readonly key: string
  /** Null: the root of the trace. */
  readonly parent: string | null
  readonly name: string
  /** client: a request to the API; internal: work here. */
  readonly kind: 'client' | 'internal'
  /** Milliseconds since 1970. */
  readonly start: number
  readonly end: number
  readonly attributes: Attributes
  /** What went wrong, for people; null: nothing. */
  readonly error: string | null
  /** The highest position in the log of the events that it tells of. */
  readonly lastId: number
}

export interface Attributes {
  readonly [name: string]: string | number | boolean | readonly string[]
}

/** Attribute names as the OpenTelemetry conventions for generative AI give them. */
export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  conversation: 'gen_ai.conversation.id',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  firstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheRead: 'gen_ai.usage.cache_read.input_tokens',
  cacheCreation: 'gen_ai.usage.cache_creation.input_tokens',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCallId: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
} as const

/** The conventions count cached tokens among those that went in. */
export function usageAttributes(usage: Usage): Attributes {
  return {
    [GEN_AI.inputTokens]: usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
    [GEN_AI.outputTokens]: usage.output_tokens,
    [GEN_AI.cacheRead]: usage.cache_read_input_tokens,
    [GEN_AI.cacheCreation]: usage.cache_creation_input_tokens,
  }
}

/** Messages as the conventions write them down: JSON. */
export function messages(role: string, text: string, finishReason?: string): string {
  const parts = [{ type: 'text', content: text }]
  return JSON.stringify([{ role, parts, ...(finishReason === undefined ? {} : { finish_reason: finishReason }) }])
}
