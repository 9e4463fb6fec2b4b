import { PROMPT_WINDOW_MS, type DraftBase } from '../../draft-base.ts'
import type { AnyDraft, EventDraft } from '../../draft.ts'

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
