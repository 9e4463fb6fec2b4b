import type { AnyEvent, Usage } from '../../../../shared/event.ts'

export interface SpanOptions {
  /** Includes texts, and inputs and results of tools. */
  readonly content: boolean
  /** The client of the session, by its key. */
  readonly client: string
  readonly clientVersion?: string | null
  /** The membership of this device; null without a team. */
  readonly team?: { readonly url: string; readonly member: string } | null
  /** Cost in USD at the prices of the day, by log id of the usage; null: unpriced. */
  readonly costs?: ReadonlyMap<number, number | null>
}

/** A span before it is handed to the SDK. */
export interface SpanPlan {
  /** Unique key. The span's id is derived from it, so that a span sent twice has the same id. */
  readonly key: string
  /** Key of the parent; null for the root of the trace. */
  readonly parent: string | null
  readonly name: string
  /** `client` for a request to the API, else `internal`. */
  readonly kind: 'client' | 'internal'
  /** Milliseconds since 1970. */
  readonly start: number
  readonly end: number
  readonly attributes: Attributes
  /** For the root: the service that its trace belongs to. */
  readonly service?: string
  /** Error message; null for success. */
  readonly error: string | null
  /** Highest log position of its events. */
  readonly lastId: number
}

export interface Attributes {
  readonly [name: string]: string | number | boolean | readonly string[]
}

/** Attribute names of the OpenTelemetry conventions for generative AI, as of version 1.45 (status: development). */
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

/** Returns who and what a span belongs to. `user.hash` is of the conventions, which have no names for the others. */
export function ownerAttributes(event: AnyEvent, { client, clientVersion, team, content }: SpanOptions): Attributes {
  const { project, user_id: user } = event
  const name = project?.split(/[\\/]/).findLast((part) => part !== '')
  return {
    'aspy.client': client,
    ...(clientVersion ? { 'aspy.client.version': clientVersion } : {}),
    ...(user === null ? {} : { 'user.hash': user }),
    ...(team ? { 'aspy.team': new URL(team.url).host, 'aspy.team.member': team.member } : {}),
    ...(name === undefined ? {} : { 'aspy.project': name }),
    ...(project === null || !content ? {} : { 'aspy.project.path': project }),
  }
}

/** Returns the cost of a request; nothing if it is unpriced, which is not the same as free. */
export function costAttributes(usage: AnyEvent | undefined, { costs }: SpanOptions): Attributes {
  const usd = usage === undefined ? undefined : costs?.get(usage.id)
  return usd == null ? {} : { 'aspy.cost_usd': usd }
}

/** Returns the cost of a whole turn, unpriced requests left out. */
export function turnCost({ costs }: SpanOptions): Attributes {
  if (costs === undefined) return {}
  return { 'aspy.turn.cost_usd': [...costs.values()].reduce<number>((sum, usd) => sum + (usd ?? 0), 0) }
}

/** In the conventions, input tokens include cached tokens. */
export function usageAttributes(usage: Usage): Attributes {
  return {
    [GEN_AI.inputTokens]: usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
    [GEN_AI.outputTokens]: usage.output_tokens,
    [GEN_AI.cacheRead]: usage.cache_read_input_tokens,
    [GEN_AI.cacheCreation]: usage.cache_creation_input_tokens,
  }
}

/** Formats messages as JSON, as the conventions define them. */
export function messages(role: string, text: string, finishReason?: string): string {
  const parts = [{ type: 'text', content: text }]
  return JSON.stringify([{ role, parts, ...(finishReason === undefined ? {} : { finish_reason: finishReason }) }])
}
