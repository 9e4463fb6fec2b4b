import type { Json } from '../../../shared/event.ts'
import { objectOf, stringOf } from '../../../shared/json-fields.ts'

/** Tools that start a subagent, and the field of their input that holds its prompt. */
const AGENT_TOOLS: { readonly [tool: string]: string } = {
  Agent: 'prompt',
  Task: 'prompt',
  agent: 'prompt',
  task: 'prompt',
  spawn_agent: 'message',
}

/** Returns the prompt of the subagent that a call starts; null if the call starts none. */
export function agentPrompt(call: { readonly tool_name: string; readonly input: Json }): string | null {
  const field = Object.hasOwn(AGENT_TOOLS, call.tool_name) ? AGENT_TOOLS[call.tool_name] : undefined
  return field === undefined ? null : stringOf(objectOf(call.input)[field])
}
