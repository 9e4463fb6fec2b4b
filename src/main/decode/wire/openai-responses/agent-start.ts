import type { Json } from '../../../../shared/event.ts'
import { codexKey } from '../../client/codex/identity.ts'
import { userInput } from '../../client/codex/prompts.ts'
import type { DraftBase } from '../../draft-base.ts'
import type { EventDraft } from '../../draft.ts'
import { listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import type { SessionIdentity } from '../wire.ts'
import { partTexts } from './items.ts'

/** Returns the draft of a subagent's start. Its name is its path in the tree of agents: `/root/reviewer`. */
export function agentStart(
  base: DraftBase,
  { agentId, parentAgentId }: SessionIdentity,
  name: string | null,
  callId: string | null,
): EventDraft<'agent_started'> {
  const id = agentId ?? ''
  const type = name?.split('/').findLast((part) => part !== '') ?? null
  return {
    ...base,
    kind: 'agent_started',
    payload: { agent_id: id, agent_type: type, parent_agent_id: parentAgentId, call_id: callId },
    keys: [codexKey.agentStart(id)],
    parents: callId === null ? [] : [codexKey.call(base.session_id, callId)],
    sighting: {
      ...(type === null ? {} : { agent_type: type }),
      ...(parentAgentId === null ? {} : { parent_agent_id: parentAgentId }),
      ...(callId === null ? {} : { call_id: callId }),
    },
  }
}

/** Returns the texts of a subagent's first request that may be its prompt, the likeliest first. */
export function agentPrompts(input: readonly Json[]): readonly string[] {
  const items = input.map(objectOf)
  const said = items
    .filter((item) => item['type'] === 'agent_message')
    .flatMap((item) => [...partTexts(item['content']), ...hiddenTexts(item['content'])])
    .map((text) => /\nPayload:\n([\s\S]+)$/.exec(text)?.[1] ?? text)
  const users = items.filter((item) => item['role'] === 'user').flatMap((item) => userInput(item)?.text ?? [])
  return [...said.toReversed(), ...users.toReversed()]
}

/** Returns texts that only the API can read. The call that started the agent has the same one. */
const hiddenTexts = (content: Json | undefined): readonly string[] =>
  listOf(content).flatMap((part) => stringOf(objectOf(part)['encrypted_content']) ?? [])
