import type { AnyEvent } from '../../../../shared/event.ts'
import { modelName } from '../../../../shared/vendors.ts'
import { mainArgument } from '../transcript/tool-text.ts'

/** A bar of the waterfall, or a mark if it took no time. Times are ms since 1970. */
export interface TimelineItem {
  readonly uuid: string
  readonly kind: AnyEvent['kind']
  readonly label: string
  /** The tool call that the item is, or whose result it is. */
  readonly callId: string | null
  /** The response that the item is, or is part of. */
  readonly messageId: string | null
  readonly start: number
  readonly end: number
  readonly failed: boolean
}

/**
 * Arranges events as items in order. A call and its result share a bar with the result's duration; so do a request and its
 * response. Thinking lasts as long as it was written.
 */
export function timelineItems(events: readonly AnyEvent[]): TimelineItem[] {
  const calls = new Map<string, AnyEvent & { kind: 'tool_call' }>()
  const answered = new Set<string>()
  for (const event of events) {
    if (event.kind === 'tool_call') calls.set(event.payload.call_id, event)
    if (event.kind === 'tool_result') answered.add(event.payload.call_id)
  }
  return events
    .flatMap((event) => itemOf(event, calls, answered) ?? [])
    .sort((one, other) => one.start - other.start || one.end - other.end)
}

function itemOf(
  event: AnyEvent,
  calls: ReadonlyMap<string, AnyEvent & { kind: 'tool_call' }>,
  answered: ReadonlySet<string>,
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
  })
  switch (event.kind) {
    case 'user_prompt':
      return item(event.payload.text)
    case 'thinking':
      return item(event.payload.text === '' ? 'Thinking' : event.payload.text, at - (event.duration_ms ?? 0), at)
    case 'assistant_text':
    case 'notification':
      return item(event.payload.text)
    case 'tool_call':
      return answered.has(event.payload.call_id)
        ? null
        : item(`${event.payload.tool_name} ${mainArgument(event.payload.input)}`)
    case 'tool_result': {
      const call = calls.get(event.payload.call_id)
      const name = call?.payload.tool_name ?? event.payload.tool_name ?? 'Tool'
      // Without a duration, the bar starts at the call.
      const start = event.duration_ms === null ? (call ? Date.parse(call.ts_wall) : at) : at - event.duration_ms
      const label = `${name} ${call ? mainArgument(call.payload.input) : ''}`.trim()
      return item(label, Math.min(start, at), at, event.payload.is_error || event.payload.rejected)
    }
    case 'model_response': {
      const { model, status, stop_reason: reason } = event.payload
      return item(
        `${modelName(model ?? 'model')} ${status >= 400 ? status : endOf(reason)}`.trim(),
        at - (event.duration_ms ?? 0),
        at,
        status >= 400,
      )
    }
    case 'compaction':
      return item('Context compacted', at - (event.duration_ms ?? 0), at)
    case 'error':
      return item(event.payload.message, at, at, true)
    default:
      return null
  }
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
