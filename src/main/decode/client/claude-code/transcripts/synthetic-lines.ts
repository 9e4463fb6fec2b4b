import { failureOrigin } from '../../../../../shared/failures.ts'
import type { Json, JsonObject } from '../../../../../shared/event.ts'
import { failureIdentity, PROMPT_WINDOW_MS, type DraftBase } from '../../../draft-base.ts'
import { naturalKey, type AnyDraft } from '../../../draft.ts'
import { filledString, numberOf, objectOf, stringOf } from '../../../../../shared/json-fields.ts'
import { endOfPrintMode } from '../client.ts'
import { isPlaceholderAnswer } from '../client-sentences.ts'

/** Decodes a line that the client wrote as the assistant: usually an API error as the user saw it. */
export function syntheticDrafts(
  base: DraftBase,
  line: JsonObject,
  blocks: readonly Json[],
  tail: readonly string[],
): AnyDraft[] {
  const text = blocks.map((block) => stringOf(objectOf(block)['text']) ?? '').join('\n')
  const uuid = filledString(line['uuid'])
  const keys = uuid === null ? [] : [naturalKey.line(uuid)]
  if (line['isApiErrorMessage'] !== true) {
    if (text.trim() === '' || isPlaceholderAnswer(text)) return []
    return [{ ...base, kind: 'notification', payload: { text, level: 'client' }, keys, parents: [] }]
  }
  const type = filledString(line['error'])
  const status = numberOf(line['apiErrorStatus']) ?? numberOf(Number(/^API Error: (\d{3})\b/.exec(text)?.[1]))
  const payload = { origin: failureOrigin(text, 'client'), type, message: text, status }
  const identity = failureIdentity(base.request_id, keys)
  const error: AnyDraft = {
    ...base,
    kind: 'error',
    payload,
    success: false,
    error_message: text,
    ...identity,
    parents: [],
    sighting: { shown: text },
  }
  if (base.agent_id !== null || text.trim() === '') return [error]
  // The client's own message ends the turn, and its StopFailure hook reports the same.
  const ended: AnyDraft = {
    ...base,
    kind: 'turn_ended',
    payload: { reason: type ?? 'failed', last_text: text, ...endOfPrintMode(line) },
    keys: uuid === null ? [] : [`${naturalKey.line(uuid)}:end`],
    text_identity: { text, within_ms: PROMPT_WINDOW_MS },
    parents: tail,
  }
  // The API did answer: a refusal is the end of a turn, not a failed request (2.1.330).
  return objectOf(line['message'])['stop_reason'] === 'refusal' ? [ended] : [error, ended]
}
