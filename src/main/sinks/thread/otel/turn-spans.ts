import type { AnyEvent, Json } from '../../../../shared/event.ts'
import { tracedAs } from '../../../../shared/vendors.ts'
import { failuresOf } from '../../../store/projections/failures.ts'
import { requestSpans } from './request-spans.ts'
import { GEN_AI, messages, ownerAttributes, turnCost, type SpanOptions, type SpanPlan } from './span-plan.ts'
import { extentOf, timeOf, TurnEvents } from './turn-events.ts'

/**
 * Creates the spans of one turn, parents before children. The turn contains its API requests, each request the tools that its
 * response called, and the call of a subagent all spans of the subagent. `events` are those of the turn, by time.
 */
export function turnSpans(events: readonly AnyEvent[], options: SpanOptions): SpanPlan[] {
  const first = events[0]
  if (first === undefined) return []
  const turn = new TurnEvents(events)
  const root = rootSpan(first, turn, options)
  const agents = agentKeys(turn, root.key)
  const parentOf = (agentId: string | null) => agents.get(agentId ?? '') ?? root.key
  const requests = requestSpans(turn, options, parentOf)
  const tools = toolSpans(turn, options, requests, parentOf)
  return parentsFirst(
    [
      root,
      ...requests.values(),
      ...tools,
      ...agentSpans(turn, agents, tools, { rootKey: root.key, client: options.client }),
    ],
    root.key,
  )
}

function rootSpan(first: AnyEvent, turn: TurnEvents, options: SpanOptions): SpanPlan {
  const { content, client } = options
  const { agent, service, provider } = tracedAs(client)
  const prompt = turn.of('user_prompt').find(({ agent_id }) => agent_id === null)
  const answer = turn.of('assistant_text').findLast(({ agent_id }) => agent_id === null)
  return {
    key: `turn ${first.session_id} ${first.turn_id}`,
    parent: null,
    name: `invoke_agent ${agent}`,
    service,
    kind: 'internal',
    ...extentOf(turn.all),
    attributes: {
      [GEN_AI.operation]: 'invoke_agent',
      [GEN_AI.provider]: provider,
      [GEN_AI.agentName]: agent,
      [GEN_AI.conversation]: first.session_id,
      'aspy.turn_id': first.turn_id,
      ...failureAttributes(turn),
      ...ownerAttributes(first, options),
      ...turnCost(options),
      ...(content && prompt ? { [GEN_AI.inputMessages]: messages('user', prompt.payload.text) } : {}),
      ...(content && answer ? { [GEN_AI.outputMessages]: messages('assistant', answer.payload.text) } : {}),
    },
    error: null,
  }
}

function failureAttributes(turn: TurnEvents): SpanPlan['attributes'] {
  const counted = turn.all.map((event) => failuresOf(event))
  const total = (of: 'api_errors' | 'failed_tools') => counted.reduce((sum, failures) => sum + failures[of], 0)
  const [api, tools] = [total('api_errors'), total('failed_tools')]
  return { ...(api > 0 ? { 'aspy.api_errors': api } : {}), ...(tools > 0 ? { 'aspy.failed_tools': tools } : {}) }
}

/** Returns the key of each subagent's span by agent id. */
function agentKeys(turn: TurnEvents, rootKey: string): Map<string, string> {
  const ids = new Set(turn.all.flatMap(({ agent_id }) => agent_id ?? []))
  return new Map([...ids].map((id) => [id, `${rootKey} agent ${id}`]))
}

function toolSpans(
  turn: TurnEvents,
  { content }: SpanOptions,
  requestsByMessage: ReadonlyMap<string, SpanPlan>,
  parentOf: (agentId: string | null) => string,
): SpanPlan[] {
  return turn.of('tool_call').map((call) => {
    const { call_id, tool_name, message_id, input } = call.payload
    const result = turn.results.get(call_id)
    const start = timeOf(call)
    const failed = result?.success === false || result?.payload.is_error === true
    return {
      key: call.uuid,
      parent: requestsByMessage.get(message_id ?? '')?.key ?? parentOf(call.agent_id),
      name: `execute_tool ${tool_name}`,
      kind: 'internal',
      start,
      end: result === undefined ? start : Math.max(start, timeOf(result)),
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

/** Creates the spans of subagents, as children of the calls that started them. */
function agentSpans(
  turn: TurnEvents,
  keys: ReadonlyMap<string, string>,
  tools: readonly SpanPlan[],
  { rootKey, client }: { readonly rootKey: string; readonly client: string },
): SpanPlan[] {
  return [...keys].map(([id, key]) => {
    const own = turn.all.filter(({ agent_id }) => agent_id === id)
    const begin = turn.of('agent_started').find(({ payload }) => payload.agent_id === id)
    const call = turn.of('tool_call').find(({ payload }) => payload.call_id === begin?.payload.call_id)
    const type = begin?.payload.agent_type ?? typeOf(call?.payload.input) ?? 'subagent'
    return {
      key,
      parent: tools.find((span) => span.key === call?.uuid)?.key ?? rootKey,
      name: `invoke_agent ${type}`,
      kind: 'internal',
      ...extentOf(begin === undefined ? own : [begin, ...own]),
      attributes: {
        [GEN_AI.operation]: 'invoke_agent',
        [GEN_AI.provider]: tracedAs(client).provider,
        [GEN_AI.agentId]: id,
        [GEN_AI.agentName]: type,
        [GEN_AI.conversation]: own[0]?.session_id ?? '',
      },
      error: null,
    }
  })
}

/** Sorts parents before children. Spans without a known parent, and cycles, become children of the root. */
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

/** Returns the agent type that a call asks for. */
function typeOf(input: Json | undefined): string | null {
  const asked = typeof input === 'object' && input !== null && 'subagent_type' in input ? input.subagent_type : null
  return typeof asked === 'string' ? asked.slice(0, 80) : null
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
