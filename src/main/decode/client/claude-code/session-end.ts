import { PROMPT_WINDOW_MS, type DraftBase } from '../../draft-base.ts'
import { naturalKey, type AnyDraft, type EventDraft } from '../../draft.ts'
import type { JsonObject } from '../../../../shared/event.ts'
import { filledString, objectOf } from '../../../../shared/json-fields.ts'
import { endOfPrintMode } from './client.ts'

/** Returns the start of a session, which has no id: sources know it by its kind and time. */
export const sessionStartedDraft = (
  base: DraftBase,
  payload: EventDraft<'session_started'>['payload'],
  keys: readonly string[] = [],
): EventDraft<'session_started'> => ({
  ...base,
  kind: 'session_started',
  payload,
  keys,
  text_identity: { text: `session started: ${payload.start}`, within_ms: PROMPT_WINDOW_MS },
  parents: [],
})

/** Returns the resume of a session that a transcript shows: its hooks ran, of each of which it has lines. */
export function resumedDrafts(base: DraftBase, line: JsonObject): readonly AnyDraft[] {
  const told = objectOf(line['data'] ?? line['attachment'])
  if (base.agent_id !== null || told['hookName'] !== 'SessionStart:resume') return []
  const run = filledString(line['toolUseID']) ?? filledString(told['toolUseID'])
  const keys = run === null ? [] : [`resume:${base.session_id}:${run}`]
  return [sessionStartedDraft(base, { start: 'resume', model: null }, keys)]
}

/** Returns the end of a session, which has no id: sources know it by its time. */
export const sessionEndedDraft = (
  base: DraftBase,
  reason: string | null,
  keys: readonly string[] = [],
): EventDraft<'session_ended'> => ({
  ...base,
  kind: 'session_ended',
  payload: { reason },
  keys,
  text_identity: { text: 'session ended', within_ms: PROMPT_WINDOW_MS },
  parents: [],
})

/** Returns the end of the session that a transcript shows: a typed `/exit`, of which a hook tells too. */
export function typedEnd(base: DraftBase, { payload, keys }: EventDraft<'user_prompt'>): readonly AnyDraft[] {
  if (payload.entered_as !== 'local_command' || !/^\/(?:exit|quit)\b/.test(payload.text)) return []
  const own = keys.map((key) => `${key}:exit`)
  return [sessionEndedDraft(base, 'prompt_input_exit', own)]
}

/** Reasons of the ends that a client makes behind an answer that would go on, by the attachment that tells of it. */
const STOPPED_BY: { readonly [attachment: string]: string } = {
  max_turns_reached: 'max_turns',
  hook_stopped_continuation: 'hook_stopped',
}

/**
 * Returns the end of a turn that the client stopped (2.1.332). No message says it, so its sources know it by its time, and
 * one of several that tell of it counts.
 */
const stoppedTurn = (
  base: DraftBase,
  payload: EventDraft<'turn_ended'>['payload'],
  keys: readonly string[],
  parents: readonly string[],
): EventDraft<'turn_ended'> => ({
  ...base,
  kind: 'turn_ended',
  payload,
  keys,
  text_identity: { text: 'turn stopped', within_ms: PROMPT_WINDOW_MS },
  parents,
  ends_open_turn: true,
})

/** Decodes an `attachment` line: a limit of turns that was reached, or a hook that stopped the client. */
export function stoppedTurnDrafts(base: DraftBase, line: JsonObject, tail: readonly string[]): AnyDraft[] {
  const reason = STOPPED_BY[filledString(objectOf(line['attachment'])['type']) ?? '']
  const uuid = filledString(line['uuid'])
  if (reason === undefined || base.agent_id !== null) return []
  const keys = uuid === null ? [] : [naturalKey.line(uuid)]
  return [stoppedTurn(base, { reason, last_text: null, ...endOfPrintMode(line) }, keys, tail)]
}

/** Returns the end of a turn with its session, if nothing else ended it. */
export const endedWithSession = (base: DraftBase): AnyDraft =>
  stoppedTurn(base, { reason: 'session_ended', last_text: null, ends_session: true }, [], [])
