import { createContext, useMemo } from 'react'
import { columnDollars } from '../../../lib/axis.ts'
import { formatDuration, plural } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/operation.ts'

/** Time and cost of the branches of a session's tree: by turn for prompts, by agent for calls that started one. */
export interface BranchCosts {
  readonly ofTurn: ReadonlyMap<number, string>
  /** Keyed by agent, and by the call that started it. */
  readonly ofAgent: ReadonlyMap<string, string>
  /** Turns that started agents: their branches are open at first. */
  readonly turnsWithAgents: ReadonlySet<number>
  /** Tasks of the agents that the main agent started. */
  readonly tasks: ReadonlyMap<string, string>
}

const NONE: BranchCosts = { ofTurn: new Map(), ofAgent: new Map(), turnsWithAgents: new Set(), tasks: new Map() }

export const BranchCostsContext = createContext(NONE)

/** Reads time and cost of each branch. */
export function useBranchCosts(sessionId: string): BranchCosts {
  const turns = useOperation('sessions.usage', { session_id: sessionId }).data?.turns
  const agents = useOperation('agents.list', { session_id: sessionId }).data?.items
  return useMemo(() => {
    const turnDollars = columnDollars((turns ?? []).map(({ cost_usd: usd }) => usd))
    const agentDollars = columnDollars((agents ?? []).map(({ cost_usd: usd }) => usd))
    const note = (parts: readonly (string | null)[]) => parts.filter((part) => part !== null).join(' · ')
    const ofTurn = new Map(
      (turns ?? []).map(({ turn_id: turn, began_at: from, ended_at: to, cost_usd: cost }) => {
        const own = (agents ?? []).filter(({ turn_id: of }) => of === turn).length
        const took = formatDuration(Date.parse(to) - Date.parse(from))
        return [turn, note([own === 0 ? null : plural(own, 'agent'), took, turnDollars(cost)])] as const
      }),
    )
    const ofAgent = new Map(
      (agents ?? []).flatMap(
        ({ agent_id: id, call_id: call, started_at: from, ended_at: to, cost_usd, tool_calls }) => {
          const took = from === null || to === null ? null : formatDuration(Date.parse(to) - Date.parse(from))
          const text = note([plural(tool_calls, 'tool call'), took, cost_usd === null ? null : agentDollars(cost_usd)])
          return [[id, text] as const, ...(call === null ? [] : [[call, text] as const])]
        },
      ),
    )
    const tasks = new Map(
      (agents ?? []).flatMap(({ agent_id: id, parent_agent_id: parent, description, agent_type: type }) =>
        parent === null ? [[id, description ?? type ?? 'agent'] as const] : [],
      ),
    )
    return { ofTurn, ofAgent, tasks, turnsWithAgents: new Set((agents ?? []).map(({ turn_id: turn }) => turn)) }
  }, [turns, agents])
}
