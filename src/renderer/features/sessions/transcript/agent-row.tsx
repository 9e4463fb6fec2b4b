import { useQuery } from '@tanstack/react-query'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Badge } from '../../../components/badge.tsx'
import { Fold } from '../../../components/fold.tsx'
import { formatCost, formatDuration, plural } from '../../../lib/format.ts'
import { agentsQuery } from '../queries.ts'
import type { TranscriptRow } from './transcript-rows.ts'

interface AgentRowProps {
  readonly row: Extract<TranscriptRow, { type: 'agent' }>
  readonly onToggle: () => void
}

/**
 * A subagent, named after its task, with its time and cost. Its end comes from the list of agents, because the page with
 * the event of its end may not be loaded yet.
 */
export function AgentRow({ row, onToggle }: AgentRowProps) {
  const { data } = useQuery(agentsQuery(row.event.session_id))
  const agent = data?.items.find(({ agent_id }) => agent_id === row.agentId)
  const hasEnded = row.ended || (agent !== undefined && agent.ended_at !== null)
  const took =
    agent === undefined || agent.started_at === null || agent.ended_at === null
      ? null
      : Date.parse(agent.ended_at) - Date.parse(agent.started_at)
  const type = agent?.agent_type ?? row.name
  const description = agent?.description ?? null
  return (
    <Fold open={row.open} onToggle={onToggle}>
      <span className="min-w-0 truncate font-medium text-k-agent">{visibleText(description ?? type)}</span>
      <span className="flex min-w-0 flex-wrap gap-x-2 text-meta text-faint">
        {description !== null && <span>{visibleText(type)}</span>}
        <span>{plural(agent?.tool_calls ?? row.events, agent === undefined ? 'event' : 'tool call')}</span>
        {took !== null && <span>{formatDuration(took)}</span>}
        {agent !== undefined && agent.cost_usd !== null && <span>{formatCost(agent.cost_usd)}</span>}
      </span>
      {agent?.success === false && <Badge tone="bad">failed</Badge>}
      {data !== undefined && !hasEnded && (
        <Badge title="Still running, or its end was not recorded">no end recorded</Badge>
      )}
    </Fold>
  )
}
