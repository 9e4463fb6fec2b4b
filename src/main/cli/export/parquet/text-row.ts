import type { Exported } from '../../../session-page/exported.ts'
import { settledItem } from '../../../session-page/settled-item.ts'
import type { Row } from './columns.ts'

type Payload = { readonly [key: string]: unknown }

/** Returns the row of an event's text; null if it has none, or if it is a prompt that the client wrote itself. */
export function textRow(exported: Exported): Row<'texts'> | null {
  const { event } = exported
  const payload: Payload = event.kind === 'user_prompt' ? settledItem(exported).event.payload : event.payload
  const text = payload['not_a_prompt'] === true ? '' : textOf(event.kind, payload)
  if (text === '') return null
  const tool = payload['tool_name']
  return { ...event, tool_name: typeof tool === 'string' ? tool : null, text }
}

function textOf(kind: Exported['event']['kind'], payload: Payload): string {
  switch (kind) {
    case 'user_prompt':
    case 'thinking':
    case 'assistant_text':
    case 'notification':
      return asText(payload['text'])
    case 'tool_call':
      return asText(payload['input'] ?? payload['digest'])
    case 'tool_result':
      return asText(payload['output'] ?? payload['digest'])
    case 'compaction':
      return asText(payload['summary'])
    case 'error':
      return asText(payload['message'])
    default:
      return ''
  }
}

/** Returns a string unchanged and anything else as JSON. */
function asText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
