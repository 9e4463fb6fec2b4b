import type { AnyEvent, AspyEvent, EventKind, Json } from '../../../../shared/event.ts'
import { GEN_AI, messages, usageAttributes } from './span-plan.ts'
import type { Attributes, SpanPlan } from './span-plan.ts'

export interface SpanOptions {
  /** Texts, inputs and results of tools are told, too. */
  readonly content: boolean
}

const AGENT = 'Claude Code'

/**
 * The spans of one turn, parents before children: the turn, in it each request to the API, in that the tools that its
 * answer called, and in the call of a subagent all of the subagent. `events`: those of the turn, by time.
 */
export function turnSpans(events: readonly AnyEvent[], options: SpanOptions): SpanPlan[] {
  const first = events[0]
  if (first === undefined) return []
  const turn = createTurn(events, options)
  const root = turn.root(first)
  const agents = turn.agents(root.key)
  const requests = turn.requests((agentId) => agents.get(agentId ?? '') ?? root.key)
  const tools = turn.tools(requests, (agentId) => agents.get(agentId ?? '') ?? root.key)
  const spans = [root, ...requests.values(), ...tools, ...turn.agentSpans(agents, tools, root.key)]
  return parentsFirst(spans, root.key)
}

function createTurn(events: readonly AnyEvent[], { content }: SpanOptions) {
  const of = <K extends EventKind>(kind: K) =>
    events.filter((event): event is Extract<AnyEvent, { kind: K }> => event.kind === kind)
  const usages = new Map(of('api_usage').map((event) => [event.payload.message_id, event]))
  const texts = Map.groupBy(of('assistant_text'), (event) => event.payload.message_id)
  const results = new Map(of('tool_result').map((event) => [event.payload.call_id, event]))
  const started = of('agent_started')

  /** The moment an event happened at, and the end of what it tells of. */
  const at = (event: AnyEvent) => Date.parse(event.ts_wall)

  function root(first: AnyEvent): SpanPlan {
    const prompt = of('user_prompt').find(({ agent_id }) => agent_id === null)
    const said = of('assistant_text').findLast(({ agent_id }) => agent_id === null)
    return {
      key: `turn ${first.session_id} ${first.turn_id}`,
      parent: null,
      name: `invoke_agent ${AGENT}`,
      kind: 'internal',
      start: Math.min(...events.map(at)),
      end: Math.max(...events.map(at)),
      attributes: {
        [GEN_AI.operation]: 'invoke_agent',
        [GEN_AI.provider]: 'anthropic',
        [GEN_AI.agentName]: AGENT,
        [GEN_AI.conversation]: first.session_id,
        'aspy.turn_id': first.turn_id,
        ...(first.project === null || !content ? {} : { 'aspy.project': first.project }),
        ...(content && prompt ? { [GEN_AI.inputMessages]: messages('user', prompt.payload.text) } : {}),
        ...(content && said ? { [GEN_AI.outputMessages]: messages('assistant', said.payload.text) } : {}),
      },
      error: null,
      lastId: Math.max(...events.map(({ id }) => id)),
    }
  }

  /** The key of each subagent's span, by its id. */
  function agents(rootKey: string): Map<string, string> {
    const ids = new Set(events.flatMap(({ agent_id }) => agent_id ?? []))
    return new Map([...ids].map((id) => [id, `${rootKey} agent ${id}`]))
  }

  /** By the id of their message where there is one, else by their exchange. */
  function requests(parentOf: (agentId: string | null) => string): Map<string, SpanPlan> {
    const responses = new Map(of('model_response').map((event) => [event.payload.exchange_id, event]))
    const spans = new Map<string, SpanPlan>()
    for (const request of of('model_request')) {
      const response = responses.get(request.payload.exchange_id)
      const span = requestSpan(request, response, parentOf(request.agent_id))
      if (span !== null) spans.set(response?.payload.message_id ?? request.uuid, span)
    }
    // A transcript tells of answers without their requests.
    for (const [messageId, usage] of usages) {
      if (messageId === null || spans.has(messageId)) continue
      spans.set(messageId, answerSpan(usage, messageId, parentOf(usage.agent_id)))
    }
    return spans
  }

  function requestSpan(
    request: AspyEvent<'model_request'>,
    response: AspyEvent<'model_response'> | undefined,
    parent: string,
  ): SpanPlan | null {
    const { model, path, request_kind } = request.payload
    if (request_kind === 'infrastructure') return null
    const told = response?.payload
    const usage = usages.get(told?.message_id ?? '')
    const start = at(request)
    const failed = response === undefined || response.success === false
    const status = told?.status ?? 0
    const error =
      response === undefined
        ? 'no response was recorded'
        : `status ${status}${told?.cut_by ? `, cut by the ${told.cut_by}` : ''}`
    return {
      key: request.uuid,
      parent,
      name: `chat ${model ?? 'unknown'}`,
      kind: 'client',
      start,
      end: response === undefined ? start : Math.max(start, at(response), start + (response.duration_ms ?? 0)),
      attributes: {
        ...chatAttributes(request, model),
        'aspy.request_kind': request_kind,
        'url.path': path,
        ...(request.agent_id === null ? {} : { [GEN_AI.agentId]: request.agent_id }),
        ...(told === undefined ? {} : { 'http.response.status_code': status, [GEN_AI.requestStream]: told.streamed }),
        ...(told?.model ? { [GEN_AI.responseModel]: told.model } : {}),
        ...(told?.message_id ? { [GEN_AI.responseId]: told.message_id } : {}),
        ...(told?.stop_reason ? { [GEN_AI.finishReasons]: [told.stop_reason] } : {}),
        ...(told?.ttft_ms == null ? {} : { [GEN_AI.firstChunk]: told.ttft_ms / 1000 }),
        ...(usage === undefined ? {} : usageAttributes(usage.payload.usage)),
        ...answerOf(told?.message_id ?? null, told?.stop_reason ?? null),
        ...(failed ? { 'error.type': status === 0 ? 'no_response' : String(status) } : {}),
      },
      error: failed ? error : null,
      lastId: Math.max(request.id, response?.id ?? 0, usage?.id ?? 0),
    }
  }

  function answerSpan(usage: AspyEvent<'api_usage'>, messageId: string, parent: string): SpanPlan {
    const blocks = events.filter(({ payload }) => 'message_id' in payload && payload.message_id === messageId)
    return {
      key: usage.uuid,
      parent,
      name: `chat ${usage.payload.model}`,
      kind: 'client',
      start: Math.min(...blocks.map(at)),
      end: Math.max(...blocks.map(at)),
      attributes: {
        ...chatAttributes(usage, usage.payload.model),
        [GEN_AI.responseModel]: usage.payload.model,
        [GEN_AI.responseId]: messageId,
        ...usageAttributes(usage.payload.usage),
        ...answerOf(messageId, null),
      },
      error: null,
      lastId: Math.max(...blocks.map(({ id }) => id)),
    }
  }

  const chatAttributes = (event: AnyEvent, model: string | null): Attributes => ({
    [GEN_AI.operation]: 'chat',
    [GEN_AI.provider]: 'anthropic',
    [GEN_AI.conversation]: event.session_id,
    ...(model === null ? {} : { [GEN_AI.requestModel]: model }),
  })

  function answerOf(messageId: string | null, stopReason: string | null): Attributes {
    const said = content && messageId !== null ? (texts.get(messageId) ?? []) : []
    if (said.length === 0) return {}
    const text = said.map(({ payload }) => payload.text).join('\n')
    return { [GEN_AI.outputMessages]: messages('assistant', text, stopReason ?? undefined) }
  }

  function tools(requestsByMessage: ReadonlyMap<string, SpanPlan>, agentOf: (id: string | null) => string): SpanPlan[] {
    return of('tool_call').map((call) => {
      const { call_id, tool_name, message_id, input } = call.payload
      const result = results.get(call_id)
      const start = at(call)
      const failed = result?.success === false || result?.payload.is_error === true
      return {
        key: call.uuid,
        parent: requestsByMessage.get(message_id ?? '')?.key ?? agentOf(call.agent_id),
        name: `execute_tool ${tool_name}`,
        kind: 'internal',
        start,
        end: result === undefined ? start : Math.max(start, at(result)),
        attributes: {
          [GEN_AI.operation]: 'execute_tool',
          [GEN_AI.toolName]: tool_name,
          [GEN_AI.toolType]: call.payload.server_side ? 'extension' : 'function',
          [GEN_AI.toolCallId]: call_id,
          [GEN_AI.conversation]: call.session_id,
          ...(result?.duration_ms == null ? {} : { 'aspy.tool.duration_ms': result.duration_ms }),
          ...(result?.payload.rejected ? { 'aspy.tool.rejected': true } : {}),
          ...(content ? { [GEN_AI.toolArguments]: JSON.stringify(input) } : {}),
          ...(content && result ? { [GEN_AI.toolResult]: asText(result.payload.output) } : {}),
          ...(failed ? { 'error.type': result?.payload.rejected ? 'rejected' : 'tool_error' } : {}),
        },
        error: failed ? (result?.payload.rejected ? 'not permitted' : 'the tool failed') : null,
        lastId: Math.max(call.id, result?.id ?? 0),
      }
    })
  }

  /** A subagent hangs from the call that started it. */
  function agentSpans(keys: ReadonlyMap<string, string>, toolSpans: readonly SpanPlan[], rootKey: string): SpanPlan[] {
    return [...keys].map(([id, key]) => {
      const own = events.filter(({ agent_id }) => agent_id === id)
      const begin = started.find(({ payload }) => payload.agent_id === id)
      const call = of('tool_call').find(({ payload }) => payload.call_id === begin?.payload.call_id)
      const type = begin?.payload.agent_type ?? typeOf(call?.payload.input) ?? 'subagent'
      const all = begin === undefined ? own : [begin, ...own]
      return {
        key,
        parent: toolSpans.find((span) => span.key === call?.uuid)?.key ?? rootKey,
        name: `invoke_agent ${type}`,
        kind: 'internal' as const,
        start: Math.min(...all.map(at)),
        end: Math.max(...all.map(at)),
        attributes: {
          [GEN_AI.operation]: 'invoke_agent',
          [GEN_AI.provider]: 'anthropic',
          [GEN_AI.agentId]: id,
          [GEN_AI.agentName]: type,
          [GEN_AI.conversation]: own[0]?.session_id ?? '',
        },
        error: null,
        lastId: Math.max(...all.map((event) => event.id)),
      }
    })
  }

  return { root, agents, requests, tools, agentSpans }
}

/** Whatever hangs from nothing here, or from itself, hangs from the root. */
function parentsFirst(spans: readonly SpanPlan[], rootKey: string): SpanPlan[] {
  const children = Map.groupBy(spans, ({ parent }) => parent)
  const ordered: SpanPlan[] = []
  const seen = new Set<string>()
  const walk = (parent: string | null) => {
    for (const span of children.get(parent) ?? []) {
      if (seen.has(span.key)) continue
      seen.add(span.key)
      ordered.push(span)
      walk(span.key)
    }
  }
  walk(null)
  for (const span of spans) {
    if (seen.has(span.key)) continue
    seen.add(span.key)
    ordered.push({ ...span, parent: rootKey })
    walk(span.key)
  }
  return ordered
}

/** Which agent a call asks for. */
function typeOf(input: Json | undefined): string | null {
  const asked = typeof input === 'object' && input !== null && 'subagent_type' in input ? input.subagent_type : null
  return typeof asked === 'string' ? asked.slice(0, 80) : null
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
