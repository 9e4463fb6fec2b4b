import { SCHEMA_VERSION, type AnyEvent } from '../../../shared/event.ts'
import type { AnyDraft } from '../../decode/draft.ts'
import type { Place } from './place.ts'

/** Additions of the store to a draft besides its place; user and project, if the draft does not name them. */
export type Given = Pick<AnyEvent, 'id' | 'uuid' | 'ts_wall' | 'user_id' | 'project'>

/** Returns the event that a draft becomes at a place. */
export function placedEvent(draft: AnyDraft, place: Omit<Place, 'awaited'>, given: Given): AnyEvent {
  return {
    id: given.id,
    uuid: given.uuid,
    session_id: draft.session_id,
    turn_id: place.turn_id,
    seq: place.seq,
    agent_id: draft.agent_id,
    parent_uuid: place.parent_uuid,
    kind: draft.kind,
    source: draft.source,
    ts_wall: given.ts_wall,
    ts_monotonic: draft.ts_monotonic,
    duration_ms: draft.duration_ms ?? null,
    success: draft.success ?? null,
    error_message: draft.error_message ?? null,
    request_id: draft.request_id ?? null,
    user_id: draft.account ?? given.user_id,
    project: draft.project ?? given.project,
    schema_version: SCHEMA_VERSION,
    payload: draft.payload,
  } as AnyEvent
}
