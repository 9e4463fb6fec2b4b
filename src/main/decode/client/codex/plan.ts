import type { Json, Payloads } from '../../../../shared/event.ts'
import type { DraftBase } from '../../draft-base.ts'
import { naturalKey, type EventDraft } from '../../draft.ts'
import { filledString, isObject, listOf, objectOf } from '../../../../shared/json-fields.ts'
import { uniqueId } from '../../unique-id.ts'

/**
 * Returns the draft of the plan that a successful `update_plan` set: Codex sends all of it each time, as `{"plan":
 * [{"step", "status"}]}`, so a step is known by its place. Empty if it is another call or names no step.
 */
export function planDraft(
  base: DraftBase,
  call: { readonly callId: string; readonly tool: string; readonly input: Json } | null,
): EventDraft<'task_update'>[] {
  if (call?.tool !== 'update_plan') return []
  const tasks: Payloads['task_update']['tasks'] = listOf(objectOf(call.input)['plan'])
    .filter(isObject)
    .map((step, at) => ({
      id: String(at + 1),
      subject: filledString(step['step']) ?? '',
      status: filledString(step['status']) ?? 'pending',
    }))
  if (tasks.length === 0) return []
  const unique = uniqueId(call.callId, base.session_id)
  return [
    {
      ...base,
      kind: 'task_update',
      payload: { tasks },
      keys: [naturalKey.tasks(unique)],
      parents: [naturalKey.call(unique)],
    },
  ]
}
