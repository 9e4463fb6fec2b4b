import type { AnyEvent } from '../../../../shared/event.ts'
import { guardActionText } from '../../../../shared/guard-action-text.ts'
import { plainLine } from '../../../../shared/plain-line.ts'
import { shortPath } from '../../../../shared/short-path.ts'
import { modelName } from '../../../../shared/vendors.ts'
import { promptText } from '../../../lib/snippet.ts'
import { mainArgument } from '../transcript/tool-text.ts'

/** A bar of the waterfall, or a mark if it took no time. Times are ms since 1970. */
export interface TimelineItem {
  readonly uuid: string
  readonly kind: AnyEvent['kind']
  /** What the guard did, if it is its action. */
  readonly action?: string
  readonly label: string
  /** The tool call that the item is, or whose result it is. */
  readonly callId: string | null
  /** The response that the item is, or is part of. */
  readonly messageId: string | null
  readonly start: number
  readonly end: number
  readonly failed: boolean
  /** True for a compaction by command, which is not part of the turn before it. */
  readonly isAside: boolean
}

/**
 * Arranges events as items in order. A call and its result share a bar with the result's duration; so do a request and its
 * response, and a compaction and the response with its summary. Thinking lasts as long as it was written.
 */
export function timelineItems(events: readonly AnyEvent[]): TimelineItem[] {
  const calls = new Map<string, AnyEvent & { kind: 'tool_call' }>()
  const answered = new Set<string>()
  const compacting = new Set<string>()
  const asked = new Map<string, number>()
  for (const event of events) {
    if (event.kind === 'model_request') asked.set(event.payload.exchange_id, Date.parse(event.ts_wall))
    if (event.kind === 'model_request' && event.payload.request_kind === 'compaction')
      compacting.add(event.payload.exchange_id)
    if (event.kind === 'tool_call') calls.set(event.payload.call_id, event)
    if (event.kind === 'tool_result') answered.add(event.payload.call_id)
  }
  const summaries = events.flatMap((event) =>
    event.kind === 'model_response' && compacting.has(event.payload.exchange_id ?? '')
      ? (itemOf(event, calls, answered, asked) ?? [])
      : [],
  )
  const items = events.flatMap((event) => itemOf(event, calls, answered, asked) ?? [])
  const merged = new Set<string>()
  const compactions = items.flatMap((item) => {
    if (item.kind !== 'compaction') return []
    const summary = summaries.findLast(({ start }) => start <= item.end)
    if (summary === undefined || merged.has(summary.uuid)) return [item]
    merged.add(summary.uuid)
    return [{ ...item, start: summary.start, end: summary.end }]
  })
  return items
    .filter(({ uuid, kind }) => kind !== 'compaction' && !merged.has(uuid))
    .concat(compactions)
    .sort((one, other) => one.start - other.start || one.end - other.end)
}

function itemOf(
  event: AnyEvent,
  calls: ReadonlyMap<string, AnyEvent & { kind: 'tool_call' }>,
  answered: ReadonlySet<string>,
  asked: ReadonlyMap<string, number>,
): TimelineItem | null {
  const at = Date.parse(event.ts_wall)
  const item = (label: string, start = at, end = at, failed = event.success === false): TimelineItem => ({
    uuid: event.uuid,
    kind: event.kind,
    label,
    callId: event.kind === 'tool_call' || event.kind === 'tool_result' ? event.payload.call_id : null,
    messageId: messageOf(event, calls),
    start,
    end,
    failed,
    isAside: event.kind === 'compaction' && event.payload.trigger === 'manual',
  })
  switch (event.kind) {
    case 'user_prompt':
      return item(promptText(event.payload.text))
    case 'thinking':
      return item(event.payload.text === '' ? 'Thinking' : event.payload.text, at - (event.duration_ms ?? 0), at)
    case 'assistant_text':
      return item(plainLine(event.payload.text))
    case 'notification':
      return item(event.payload.text)
    case 'tool_call':
      return answered.has(event.payload.call_id) ? null : item(callLabel(event))
    case 'tool_result': {
      const call = calls.get(event.payload.call_id)
      const name = call?.payload.tool_name ?? event.payload.tool_name ?? 'Tool'
      // Without a duration, the bar starts at the call.
      const start = event.duration_ms === null ? (call ? Date.parse(call.ts_wall) : at) : at - event.duration_ms
      return item(
        call ? callLabel(call, name) : name,
        Math.min(start, at),
        at,
        event.payload.is_error && !event.payload.rejected,
      )
    }
    case 'model_response': {
      const { model, status, stop_reason: reason, exchange_id: exchange } = event.payload
      return item(
        `${modelName(model ?? 'model')} ${status >= 400 ? status : endOf(reason)}`.trim(),
        // A duration is finer than times: without the request, it may begin before its prompt.
        Math.min(at, Math.max(at - (event.duration_ms ?? 0), asked.get(exchange ?? '') ?? 0)),
        at,
        status >= 400,
      )
    }
    case 'guard_action':
      return { ...item(guardActionText(event.payload)), action: event.payload.action }
    case 'compaction':
      return item('Context compacted', at - (event.duration_ms ?? 0), at)
    case 'error':
      // A decision, and no failure.
      return event.payload.origin === 'guard'
        ? { ...item(event.payload.message, at, at, false), kind: 'guard_action', action: 'refused' }
        : item(event.payload.message, at, at, true)
    default:
      return null
  }
}

function callLabel({ payload, project }: AnyEvent & { kind: 'tool_call' }, name = payload.tool_name): string {
  return `${name} ${shortPath(mainArgument(payload.input), project)}`.trim()
}

function messageOf(event: AnyEvent, calls: ReadonlyMap<string, AnyEvent & { kind: 'tool_call' }>): string | null {
  switch (event.kind) {
    case 'thinking':
    case 'assistant_text':
    case 'tool_call':
    case 'model_response':
      return event.payload.message_id
    case 'tool_result':
      return calls.get(event.payload.call_id)?.payload.message_id ?? null
    default:
      return null
  }
}

const ENDS: Readonly<Record<string, string>> = {
  tool_use: 'called tools',
  end_turn: 'ended the turn',
  max_tokens: 'ran out of tokens',
  refusal: 'refused',
}

/** Formats a stop reason. */
function endOf(reason: string | null): string {
  return reason === null ? '' : (ENDS[reason] ?? reason)
}
