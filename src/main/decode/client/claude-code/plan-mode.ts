import type { Json } from '../../../../shared/event.ts'
import type { DraftBase } from '../../draft-base.ts'
import { naturalKey, type AnyDraft } from '../../draft.ts'
import { filledString, objectOf } from '../../../../shared/json-fields.ts'

/** Drafts of a successful ExitPlanMode call: a person accepted the plan. Empty for any other call. */
export function planAcceptedDrafts(
  base: DraftBase,
  call: { readonly callId: string; readonly toolName: string | null; readonly input?: Json | undefined },
): readonly AnyDraft[] {
  if (call.toolName !== 'ExitPlanMode') return []
  return [
    {
      ...base,
      kind: 'state_change',
      payload: { name: 'plan_accepted', to: filledString(objectOf(call.input)['plan']) },
      keys: [`plan:${call.callId}`],
      parents: [naturalKey.result(call.callId)],
    },
  ]
}
