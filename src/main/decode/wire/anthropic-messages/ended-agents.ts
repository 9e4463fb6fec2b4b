import type { JsonObject } from '../../../../shared/event.ts'
import { listOf, objectOf } from '../../../../shared/json-fields.ts'
import { agentEndedDraft } from '../../client/claude-code/agents.ts'
import type { WireClient } from '../../client/wire-client.ts'
import type { AnyDraft } from '../../draft.ts'
import type { HashText } from '../../media.ts'
import { outputText } from '../../tool-result.ts'

/** Returns the ends of agents whose reports are new results of a request. */
export function endedAgents(
  client: WireClient | null,
  { messages }: JsonObject,
  drafts: readonly AnyDraft[],
  hash: HashText,
): readonly AnyDraft[] {
  if (client?.endedAgent === undefined) return []
  return drafts.flatMap((draft) => {
    if (draft.kind !== 'tool_result' || draft.payload.seen_in_history || draft.payload.is_error) return []
    const { call_id: callId, tool_name: name, output } = draft.payload
    const { input } = objectOf(
      listOf(messages)
        .flatMap((message) => listOf(objectOf(message)['content']))
        .findLast((block) => objectOf(block)['id'] === callId),
    )
    const call = { callId, name: name ?? '', input: objectOf(input), text: outputText(output) }
    const agent = client.endedAgent?.(call, draft.session_id, hash) ?? null
    const { source, session_id, ts_wall, ts_monotonic } = draft
    const base = { source, session_id, agent_id: draft.agent_id, ts_wall, ts_monotonic, project: draft.project ?? null }
    return agent === null ? [] : [agentEndedDraft(base, agent)]
  })
}
