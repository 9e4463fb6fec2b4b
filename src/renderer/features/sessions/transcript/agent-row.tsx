import { Check, Hourglass, X } from 'lucide-react'
import { shapeSummary, toolShape } from '../../../../shared/tool-shape.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { Badge } from '../../../components/badge.tsx'
import { Fold } from '../../../components/fold.tsx'
import { Markdown } from '../../../components/markdown.tsx'
import { formatCost, formatDuration, plural } from '../../../lib/format.ts'
import type { TranscriptRow } from './transcript-rows.ts'
import { useCallResult } from './use-call-result.ts'
import type { RowProps } from './transcript-row.tsx'

interface AgentRowProps extends Pick<RowProps, 'hasLater' | 'isActive'> {
  readonly row: Extract<TranscriptRow, { type: 'agent' }>
  readonly onToggle: () => void
}

/**
 * A subagent, shown instead of the call that started it, named after its task, with its type, time and cost. Its end
 * comes from the list of agents, because the page with the event of its end may not be loaded yet.
 */
export function AgentRow({ row, hasLater, isActive, onToggle }: AgentRowProps) {
  const { agent, call } = row
  const isOver = row.ended || (agent !== null && agent.ended_at !== null)
  const result = useCallResult(isOver ? null : call, row.result, hasLater)
  // Older clients record no end of an agent, only the result of its call. While the session works, the agent may still
  // be running in the background.
  const hasEnded = isOver || (!isActive && result !== null && result !== undefined)
  const took =
    agent === null || agent.started_at === null || agent.ended_at === null
      ? null
      : Date.parse(agent.ended_at) - Date.parse(agent.started_at)
  const type = agent?.agent_type ?? row.name
  const shape = call === null ? null : toolShape(call.payload.tool_name, call.payload.input)
  const asked = shape === null ? '' : shapeSummary(shape)
  const description = agent?.description ?? (asked === '' ? null : asked)
  return (
    <>
      <Fold open={row.open} onToggle={onToggle}>
        <span className="min-w-0 truncate font-medium text-k-agent">{visibleText(description ?? type)}</span>
        <span className="flex min-w-0 flex-wrap gap-x-2 text-meta text-faint">
          {description !== null && <span>{visibleText(type)}</span>}
          <span>{plural(agent === null ? row.events : agent.tool_calls, agent === null ? 'event' : 'tool call')}</span>
          {agent !== null && agent.cost_usd !== null && <span>{formatCost(agent.cost_usd)}</span>}
        </span>
        <span className="ml-auto flex shrink-0 items-center gap-2 text-meta text-faint">
          {took !== null && took > 0 && formatDuration(took)}
          {agent?.success === false ? (
            <X className="size-4 text-bad" role="img" aria-label="Failed" />
          ) : hasEnded ? (
            <Check className="size-4 text-good" role="img" aria-label="Ended" />
          ) : agent === null || result === undefined ? null : isActive ? (
            <Hourglass className="size-3.5" role="img" aria-label="Still running" />
          ) : (
            <Badge title="Its end was not recorded">no end recorded</Badge>
          )}
        </span>
      </Fold>
      {row.open && shape?.kind === 'agent' && (
        <div className="border-l-2 border-k-agent/40 py-1 pl-4 text-[0.9em] text-soft">
          <Markdown text={shape.prompt} />
        </div>
      )}
    </>
  )
}
