import type { Json } from '../../../../../shared/event.ts'
import { objectOf } from '../../../../../shared/json-fields.ts'

/** Calls by id, for facts that their results omit. */
export type CallMemory = Map<string, { readonly name: string; readonly input: Json }>

/** Calls whose result may still come. */
const MAX_CALLS = 10_000

export function rememberCall(
  calls: CallMemory,
  callId: string,
  call: { readonly tool_name: string; readonly input: Json },
): void {
  calls.set(callId, { name: call.tool_name, input: call.input })
  const eldest = calls.keys().next()
  if (calls.size > MAX_CALLS && !eldest.done) calls.delete(eldest.value)
}

export function callWithPrompt(calls: CallMemory, prompt: string): string | null {
  for (const [callId, call] of calls) if (objectOf(call.input)['prompt'] === prompt) return callId
  return null
}
