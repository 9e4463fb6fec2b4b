import type { AnyEvent } from '../../../shared/event.ts'
import type { AnyDraft } from '../../decode/draft.ts'

/**
 * Decides whether an event is in the recorded share of its kind (undefined: all are). Decides by a hash of the event's identity:
 * every source of the same event agrees, and a call and its result go together if both kinds have the same share.
 */
export const isSampled = (event: AnyEvent | AnyDraft, share: number | undefined): boolean =>
  share === undefined || share >= 1 || fractionOf(identityOf(event)) < share

function identityOf(event: AnyEvent | AnyDraft): string {
  switch (event.kind) {
    case 'tool_call':
    case 'tool_result':
    case 'file_seen':
      return event.payload.call_id
    case 'thinking':
    case 'assistant_text':
      return `${event.payload.message_id ?? event.payload.text}:${event.payload.index}`
    case 'api_usage':
    case 'model_response':
      return event.payload.message_id ?? placeOf(event)
    case 'user_prompt':
      return `${event.session_id}:${event.payload.text}`
    default:
      return placeOf(event)
  }
}

/** Identifies an event by place and time, which drafts and stored events share. */
const placeOf = ({ session_id, agent_id, ts_wall }: AnyEvent | AnyDraft) => `${session_id}:${agent_id}:${ts_wall}`

/** Hashes the code units (FNV-1a with a final mix) to a number from 0 up to, but not including, 1. */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
