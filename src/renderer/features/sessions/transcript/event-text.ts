import type { EventKind } from '../../../../shared/event.ts'
import { agentReport } from '../../../../shared/tool-output.ts'
import { KIND_LOOKS } from '../../../components/event-kind.tsx'
import { mainArgument } from './tool-text.ts'

/** Returns an event's text, or its label if it has none. */
export function eventText(kind: EventKind, payload: Readonly<Record<string, unknown>>): string {
  const { text, tool_name: tool, message, summary, model, output } = payload
  if (kind === 'tool_call') return `${String(tool)} ${mainArgument((payload['input'] ?? null) as never)}`
  for (const value of [text, message, summary, output])
    if (typeof value === 'string' && value !== '') return agentReport(value)
  if (typeof model === 'string') return `${KIND_LOOKS[kind].label} ${model}`
  return KIND_LOOKS[kind].label
}
