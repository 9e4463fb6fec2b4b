import type { AnyEvent, AspyEvent } from '../../../../shared/event.ts'
import { cutWords } from '../../../../shared/cut-words.ts'
import { tracedAs } from '../../../../shared/vendors.ts'
import {
  costAttributes,
  GEN_AI,
  messages,
  ownerAttributes,
  usageAttributes,
  type Attributes,
  type SpanOptions,
  type SpanPlan,
} from './span-plan.ts'
import { extentOf, timeOf, type TurnEvents } from './turn-events.ts'

/** Creates a span for each request of a turn, keyed by the id of its message or, if it has no unique id, by a uuid. */
export function requestSpans(
  turn: TurnEvents,
  options: SpanOptions,
  parentOf: (agentId: string | null) => string,
): Map<string, SpanPlan> {
  const responses = new Map(turn.of('model_response').map((event) => [event.payload.exchange_id, event]))
  const spans = new Map<string, SpanPlan>()
  const counted = new Set<unknown>()
  const add = (id: string | null, uuid: string, span: SpanPlan) =>
    spans.set(id === null || spans.has(id) ? uuid : id, span)
  for (const request of turn.of('model_request')) {
    if (request.payload.request_kind === 'infrastructure') continue
    const response = responses.get(request.payload.exchange_id)
    const usage = response === undefined ? undefined : turn.usageOf(response)
    counted.add(usage)
    const span = { ...requestSpan(request, response, usage, turn, options), parent: parentOf(request.agent_id) }
    add(response?.payload.message_id ?? null, request.uuid, span)
  }
  // Transcripts contain responses without their requests.
  for (const usage of turn.of('api_usage')) {
    const { message_id: id } = usage.payload
    if (id === null || counted.has(usage)) continue
    add(id, usage.uuid, { ...responseSpan(usage, id, turn, options), parent: parentOf(usage.agent_id) })
  }
  return spans
}

type Unplaced = Omit<SpanPlan, 'parent'>

function requestSpan(
  request: AspyEvent<'model_request'>,
  response: AspyEvent<'model_response'> | undefined,
  usage: AspyEvent<'api_usage'> | undefined,
  turn: TurnEvents,
  options: SpanOptions,
): Unplaced {
  const { model, path, request_kind } = request.payload
  const answer = response?.payload
  const start = timeOf(request)
  const failed = response === undefined || response.success === false
  const status = answer?.status ?? 0
  return {
    key: request.uuid,
    name: `chat ${model ?? 'unknown'}`,
    kind: 'client',
    start,
    end: response === undefined ? start : Math.max(start, timeOf(response), start + (response.duration_ms ?? 0)),
    attributes: {
      ...chatAttributes(request, model, options),
      'aspy.request_kind': request_kind,
      'url.path': path,
      ...(request.agent_id === null ? {} : { [GEN_AI.agentId]: request.agent_id }),
      ...(answer === undefined ? {} : { 'http.response.status_code': status, [GEN_AI.requestStream]: answer.streamed }),
      ...(answer?.model ? { [GEN_AI.responseModel]: answer.model } : {}),
      ...(answer?.message_id ? { [GEN_AI.responseId]: answer.message_id } : {}),
      ...(answer?.stop_reason ? { [GEN_AI.finishReasons]: [answer.stop_reason] } : {}),
      ...(answer?.ttft_ms == null ? {} : { [GEN_AI.firstChunk]: answer.ttft_ms / 1000 }),
      ...(usage === undefined ? {} : usageAttributes(usage.payload.usage)),
      ...costAttributes(usage, options),
      ...outputOf(turn, options, answer?.message_id ?? null, answer?.stop_reason ?? null),
      ...(failed ? { 'error.type': status === 0 ? 'no_response' : String(status) } : {}),
    },
    error: failed ? errorOf(answer) : null,
    lastId: Math.max(request.id, response?.id ?? 0, usage?.id ?? 0),
  }
}

function errorOf(answer: AspyEvent<'model_response'>['payload'] | undefined): string {
  if (answer === undefined) return 'no response was recorded'
  return `status ${answer.status}${answer.cut_by ? `, ${cutWords(answer.cut_by)}` : ''}`
}

function responseSpan(
  usage: AspyEvent<'api_usage'>,
  messageId: string,
  turn: TurnEvents,
  options: SpanOptions,
): Unplaced {
  const blocks = turn.all.filter(({ payload }) => 'message_id' in payload && payload.message_id === messageId)
  return {
    key: usage.uuid,
    name: `chat ${usage.payload.model}`,
    kind: 'client',
    ...extentOf(blocks),
    attributes: {
      ...chatAttributes(usage, usage.payload.model, options),
      [GEN_AI.responseModel]: usage.payload.model,
      [GEN_AI.responseId]: messageId,
      ...usageAttributes(usage.payload.usage),
      ...costAttributes(usage, options),
      ...outputOf(turn, options, messageId, null),
    },
    error: null,
  }
}

const chatAttributes = (event: AnyEvent, model: string | null, options: SpanOptions): Attributes => ({
  [GEN_AI.operation]: 'chat',
  [GEN_AI.provider]: tracedAs(options.client).provider,
  [GEN_AI.conversation]: event.session_id,
  ...(model === null ? {} : { [GEN_AI.requestModel]: model }),
  ...ownerAttributes(event, options),
})

function outputOf(
  turn: TurnEvents,
  { content }: SpanOptions,
  messageId: string | null,
  stopReason: string | null,
): Attributes {
  const text = content ? turn.textOf(messageId) : null
  return text === null ? {} : { [GEN_AI.outputMessages]: messages('assistant', text, stopReason ?? undefined) }
}
