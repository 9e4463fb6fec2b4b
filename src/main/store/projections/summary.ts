import { firstCharacters } from '../../../shared/cut-text.ts'
import { cutWords } from '../../../shared/cut-words.ts'
import { editText } from '../../../shared/event-text.ts'
import type { AnyEvent, Json, Payloads } from '../../../shared/event.ts'
import { guardActionText } from '../../../shared/guard-action-text.ts'
import type { EventSummary } from '../../../shared/live-feed.ts'
import { shapeSummary, type ToolShape, toolShape } from '../../../shared/tool-shape.ts'
import { isOfPrintMode } from '../../decode/client/client-of-event.ts'
import type { Pricing } from '../pricing/pricing.ts'
import { failuresOf } from './failures.ts'
import { usageFacts } from './usage-facts.ts'

const MAX_BYTES = 2048
const MAX_TEXT_CHARACTERS = 600

/**
 * Summarizes an event for the live feed in at most 2 KB of JSON. The text is one line; thinking and answers keep their line
 * breaks, so that they look the same before and after they are complete.
 */
export function summarize(event: AnyEvent, pricing: Pricing): EventSummary {
  const full = lineOf(event)
  const text = shorten(full, MAX_TEXT_CHARACTERS)
  return fit({
    ...outline(event),
    text,
    ...detailsOf(event, pricing),
    ...failureOf(event),
    ...(text === full ? {} : { truncated: true as const }),
  })
}

/** Returns a summary without text, for events that nobody is shown. */
export function outline(event: AnyEvent): EventSummary {
  return {
    id: event.id,
    uuid: event.uuid,
    session_id: event.session_id,
    turn_id: event.turn_id,
    seq: event.seq,
    agent_id: event.agent_id,
    parent_uuid: event.parent_uuid,
    kind: event.kind,
    source: event.source,
    ts_wall: event.ts_wall,
    duration_ms: event.duration_ms,
    success: event.success,
    project: event.project === null ? null : shorten(event.project, 300),
    text: '',
  }
}

/** Cuts text with many bytes (or escapes) per character further. */
function fit(summary: EventSummary): EventSummary {
  let fitting = summary
  for (let characters = MAX_TEXT_CHARACTERS / 2; characters >= 1; characters /= 2) {
    if (Buffer.byteLength(JSON.stringify(fitting)) <= MAX_BYTES) break
    fitting = { ...fitting, text: shorten(summary.text, Math.floor(characters)), truncated: true }
  }
  return fitting
}

const shorten = (text: string, characters: number): string =>
  text.length <= characters ? text : `${firstCharacters(text, characters)}…`

function failureOf(event: AnyEvent): Pick<EventSummary, 'failure'> {
  const { api_errors: api, failed_tools: tools } = failuresOf(event)
  return api > 0 ? { failure: 'api' } : tools > 0 ? { failure: 'tool' } : {}
}

function detailsOf(event: AnyEvent, pricing: Pricing): Partial<EventSummary> {
  switch (event.kind) {
    case 'thinking':
    case 'assistant_text':
      return placeInMessage(event.payload)
    case 'tool_call':
      return {
        tool_name: shorten(event.payload.tool_name, 100),
        call_id: shorten(event.payload.call_id, 100),
        ...placeInMessage(event.payload),
      }
    case 'tool_result':
      return {
        call_id: shorten(event.payload.call_id, 100),
        ...(event.payload.rejected ? { is_refused: true } : {}),
        ...(event.payload.tool_name === null ? {} : { tool_name: shorten(event.payload.tool_name, 100) }),
      }
    case 'guard_action':
      return { level: event.payload.action }
    case 'api_usage': {
      const facts = usageFacts(event, [], pricing)
      return facts ? { model: shorten(facts.model, 100), tokens: facts.tokens, cost_usd: facts.cost_usd } : {}
    }
    case 'model_request':
      return {
        exchange_id: shorten(event.payload.exchange_id, 100),
        ...modelOf(event.payload),
        ...(isOfPrintMode(event.payload.headers) ? { is_print: true } : {}),
      }
    case 'model_response': {
      const { exchange_id: exchange, message_id: message } = event.payload
      return {
        ...(exchange === null ? {} : { exchange_id: shorten(exchange, 100) }),
        ...(message === null ? {} : { message_id: shorten(message, 100) }),
        ...modelOf(event.payload),
      }
    }
    case 'notification':
      return event.payload.level ? { level: shorten(event.payload.level, 100) } : {}
    default:
      return {}
  }
}

const modelOf = ({ model }: { readonly model: string | null }): Partial<EventSummary> =>
  model === null ? {} : { model: shorten(model, 100) }

const placeInMessage = (block: { readonly message_id: string | null; readonly index: number }): Partial<EventSummary> =>
  block.message_id === null ? {} : { message_id: shorten(block.message_id, 100), index: block.index }

function lineOf(event: AnyEvent): string {
  const { kind, payload } = event
  switch (kind) {
    case 'thinking':
    case 'assistant_text':
      return inLines(payload.text)
    case 'user_prompt':
    case 'notification':
      return oneLine(payload.text)
    case 'tool_call':
      return oneLine(callLine(payload))
    case 'tool_result':
      return oneLine(editText(payload) || mainArgument(payload.output))
    case 'file_seen':
      return oneLine([payload.path, payload.at, payload.why_not].filter(Boolean).join(' '))
    case 'api_usage':
      return payload.model
    case 'model_request':
      return `${payload.method} ${payload.path} (${payload.request_kind})`
    case 'model_response':
      return [payload.status, payload.stop_reason, payload.cut_by && cutWords(payload.cut_by)].filter(Boolean).join(' ')
    case 'error':
      return oneLine([payload.origin === 'guard' ? null : payload.type, payload.message].filter(Boolean).join(': '))
    case 'compaction':
      return oneLine(payload.summary)
    case 'agent_started':
    case 'agent_ended':
      return payload.agent_type ?? payload.agent_id
    case 'session_started':
      return payload.start
    case 'session_ended':
    case 'turn_ended':
      return payload.reason ?? ''
    case 'task_update':
      return oneLine(payload.tasks.map((task) => `${task.status}: ${task.subject}`).join(', '))
    case 'state_change':
      return oneLine(`${payload.name}: ${mainArgument(payload.to)}`)
    case 'rate_limit':
      return oneLine(JSON.stringify(payload.limits))
    case 'guard_action':
      return oneLine(guardActionText(payload))
    case 'unknown':
      return payload.what
  }
}

/**
 * Shapes whose own line is more informative than their main argument: an agent's task instead of its prompt, how many
 * tasks are done.
 */
const OWN_LINES: ReadonlySet<ToolShape['kind']> = new Set(['agent', 'edit', 'todo', 'question'])

function callLine({ tool_name: tool, input }: Payloads['tool_call']): string {
  const shape = toolShape(tool, input)
  if (shape.kind === 'command') return shape.command
  return OWN_LINES.has(shape.kind) ? shapeSummary(shape) : mainArgument(input)
}

/** Arguments that best describe a tool call, best first. */
const MAIN_ARGUMENTS = [
  'command',
  'file_path',
  'path',
  'pattern',
  'query',
  'url',
  'prompt',
  'description',
  'text',
  'content',
]

function mainArgument(value: Json): string {
  if (typeof value === 'string') return value
  if (value === null) return ''
  if (Array.isArray(value)) return value.map((item) => mainArgument(item as Json)).join(' ')
  if (typeof value !== 'object') return String(value)
  const fields = value as { readonly [key: string]: Json }
  for (const name of MAIN_ARGUMENTS) {
    const field = fields[name]
    if (typeof field === 'string' && field !== '') return field
  }
  return JSON.stringify(value)
}

function oneLine(text: string): string {
  return (
    firstCharacters(text, 4 * MAX_TEXT_CHARACTERS)
      // Not single spaces: they stay as they are, and nearly every match would be one.
      .replace(/\s{2,}|[^\S ]/g, ' ')
      .trim()
  )
}

/** Keeps the line breaks of Markdown, but at most one empty line in a row. */
function inLines(text: string): string {
  return firstCharacters(text, 4 * MAX_TEXT_CHARACTERS)
    .replace(/\s*\n\s*\n/g, '\n\n')
    .trim()
}
