import { v7 as uuidv7 } from 'uuid'
import { postEvent } from '../../../../shared/contract/events.ts'
import { AspyError } from '../../../../shared/contract/errors.ts'
import type { AnyDraft } from '../../../decode/draft.ts'

/** The operation `events.post` as a draft with its uuid. Throws `bad_input`. */
export function draftOfPost(input: unknown, wallMs: number, runMs: number): AnyDraft & { readonly uuid: string } {
  const parsed = postEvent.input.safeParse(input)
  if (!parsed.success) throw new AspyError('bad_input', `not an event: ${parsed.error.issues[0]?.message ?? ''}`)
  const { session_id, kind, parent_uuid, payload, duration_ms, success, error_message } = parsed.data
  return {
    kind,
    source: 'api',
    // Whoever posts says what its kind says; what the store cannot take of it is refused there.
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
