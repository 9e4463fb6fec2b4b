import { countLines } from './change-lines.ts'
import { shortened } from './cut-text.ts'
import type { EventKind } from './event.ts'
import { fileChanges } from './file-change.ts'
import type { GuardAction } from './guard-action.ts'
import { guardActionText } from './guard-action-text.ts'
import type { Json } from './json.ts'
import { agentReport } from './tool-output.ts'

/** Bounds the text of a line, in characters. */
export const LINE_CHARACTERS = 200

/** Returns the text of an event in one line for people. */
export function formatEvent(kind: EventKind, payload: { readonly [key: string]: unknown }): string {
  const text = fieldsOf(kind, payload)
    .filter((part) => part !== '')
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return shortened(text, LINE_CHARACTERS)
}

/** Claude Code's reasons for the end of a session. */
const SESSION_ENDS: Readonly<Record<string, string>> = {
  clear: 'by /clear',
  logout: 'by a logout',
  other: '',
  prompt_input_exit: 'at the prompt',
  resume: 'to resume another session',
}

function fieldsOf(kind: EventKind, payload: { readonly [key: string]: unknown }): string[] {
  const field = (name: string): string => say(payload[name])
  switch (kind) {
    case 'user_prompt':
    case 'thinking':
    case 'assistant_text':
    case 'notification':
      return [field('text')]
    case 'tool_call':
      return [field('tool_name'), field('input') || field('digest')]
    case 'tool_result':
      return [
        field('tool_name'),
        payload['rejected'] === true ? 'refused' : '',
        editText(payload) || agentReport(field('output')) || field('digest'),
      ]
    case 'file_seen':
      return [field('path'), field('at'), field('why_not')]
    case 'api_usage':
    case 'model_request':
      return [field('model'), field('request_kind')]
    case 'model_response':
      return [field('model'), field('status'), field('stop_reason')]
    case 'error':
      return payload['origin'] === 'guard' ? [field('message')] : [field('type'), field('status'), field('message')]
    case 'compaction':
      return [field('trigger'), field('summary')]
    case 'agent_started':
    case 'agent_ended':
      return [field('agent_type'), field('agent_id'), field('last_text')]
    case 'session_started':
      return [field('start'), field('model')]
    case 'session_ended':
      return [SESSION_ENDS[field('reason')] ?? field('reason')]
    case 'turn_ended':
      return [field('reason')]
    case 'task_update':
      return [field('tasks')]
    case 'state_change':
      return [field('name'), field('to')]
    case 'rate_limit':
      return [field('limits')]
    case 'guard_action':
      return [guardActionText(payload as unknown as GuardAction)]
    case 'unknown':
      return [field('what')]
  }
}

/** Counts the lines of an edit whose client reports it as JSON; empty for other results. */
export function editText({ output, detail }: { readonly [key: string]: unknown }): string {
  if (typeof output !== 'string' || !output.startsWith('{')) return ''
  const changes = fileChanges(detail as Json)
  const { added, removed } = countLines(changes.flatMap(({ parts }) => parts))
  return changes.length === 0 ? '' : `+${added} −${removed}`
}

function say(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value.slice(0, 2 * LINE_CHARACTERS)
  return (JSON.stringify(value) ?? '').slice(0, 2 * LINE_CHARACTERS)
}
