import { v7 as uuidv7 } from 'uuid'
import type { ParsedInput } from '../../../../shared/contract/index.ts'
import type { AnyDraft } from '../../../decode/draft.ts'

/** Returns the draft of an event that a caller posts, with its uuid. */
export function draftOfPost(
  input: ParsedInput<'events.post'>,
  wallMs: number,
  runMs: number,
): AnyDraft & { readonly uuid: string } {
  const { session_id, kind, parent_uuid, payload, duration_ms, success, error_message } = input
  return {
    kind,
    source: 'api',
    // Dispatch checked it against the schema of its kind.
    payload,
    uuid: uuidv7(),
    session_id,
    agent_id: null,
    ts_wall: new Date(wallMs).toISOString(),
    ts_monotonic: runMs,
    duration_ms: duration_ms ?? null,
    success: success ?? null,
    error_message: error_message ?? null,
    keys: [],
    parents: parent_uuid === undefined ? [] : [`event:${parent_uuid}`],
  } as unknown as AnyDraft & { readonly uuid: string }
}
