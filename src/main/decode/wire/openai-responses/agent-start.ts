import { codexKey } from '../../client/codex/identity.ts'
import type { DraftBase } from '../../draft-base.ts'
import type { EventDraft } from '../../draft.ts'
import type { SessionIdentity } from '../wire.ts'

/** Returns the draft of a subagent's start. Its name is its path in the tree of agents: `/root/reviewer`. */
export function agentStart(
  base: DraftBase,
  { agentId, parentAgentId }: SessionIdentity,
  name: string | null,
): EventDraft<'agent_started'> {
  const id = agentId ?? ''
  const type = name?.split('/').findLast((part) => part !== '') ?? null
  return {
    ...base,
    kind: 'agent_started',
    payload: { agent_id: id, agent_type: type, parent_agent_id: parentAgentId, call_id: null },
    keys: [codexKey.agentStart(id)],
    parents: [],
    sighting: {
      ...(type === null ? {} : { agent_type: type }),
      ...(parentAgentId === null ? {} : { parent_agent_id: parentAgentId }),
    },
  }
}
