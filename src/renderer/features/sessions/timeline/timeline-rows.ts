import type { OperationOutput } from '../../../../shared/contract/index.ts'
import type { TimelineItem } from './timeline-items.ts'

export type TurnUsage = OperationOutput<'sessions.usage'>['turns'][number]
export type Agent = OperationOutput<'agents.list'>['items'][number]

/** The loaded items of a lane: none before it is opened, then the items, and whether there are more. */
export interface LaneItems {
  readonly items: readonly TimelineItem[]
  readonly isCut: boolean
}

export type TimelineRow =
  | { readonly type: 'turn'; readonly key: string; readonly turn: number; readonly isOpen: boolean }
  | {
      readonly type: 'agent'
      readonly key: string
      readonly agent: Agent
      readonly isOpen: boolean
      readonly depth: number
    }
  | { readonly type: 'item'; readonly key: string; readonly item: TimelineItem; readonly depth: number }
  | { readonly type: 'note'; readonly key: string; readonly text: string; readonly depth: number }

interface RowsOptions {
  readonly turns: readonly number[]
  readonly agents: readonly Agent[]
  /** Keys of open lanes: `turn 3`, `agent a1`. */
  readonly open: ReadonlySet<string>
  /** Items of open lanes by key; a lane that is missing is being loaded. */
  readonly items: ReadonlyMap<string, LaneItems>
}

export const turnKey = (turn: number): string => `turn ${turn}`
export const agentKey = (agent: string): string => `agent ${agent}`

/** Lays out turns, their items, and agents below the call that started each. Only open lanes have rows below them. */
export function timelineRows({ turns, agents, open, items }: RowsOptions): TimelineRow[] {
  const rows: TimelineRow[] = []
  const placed = new Set<string>()
  const lane = (key: string, own: readonly Agent[], depth: number): void => {
    const loaded = items.get(key)
    if (loaded === undefined) return void rows.push({ type: 'note', key: `${key} loading`, text: 'Loading…', depth })
    for (const item of loaded.items) {
      rows.push({ type: 'item', key: item.uuid, item, depth })
      for (const agent of own) if (agent.call_id !== null && agent.call_id === item.callId) addAgent(agent, depth + 1)
    }
    // Agents of calls that are not shown or not known.
    for (const agent of own) if (!placed.has(agent.agent_id)) addAgent(agent, depth + 1)
    if (loaded.isCut)
      rows.push({ type: 'note', key: `${key} cut`, text: 'Only the first 1,000 events are shown', depth })
  }
  const addAgent = (agent: Agent, depth: number): void => {
    if (placed.has(agent.agent_id)) return
    placed.add(agent.agent_id)
    const key = agentKey(agent.agent_id)
    rows.push({ type: 'agent', key, agent, isOpen: open.has(key), depth })
    if (!open.has(key)) return
    lane(
      key,
      agents.filter(({ parent_agent_id: parent }) => parent === agent.agent_id),
      depth,
    )
  }
  for (const turn of turns) {
    const key = turnKey(turn)
    rows.push({ type: 'turn', key, turn, isOpen: open.has(key) })
    if (!open.has(key)) continue
    const own = agents.filter(({ turn_id: of, parent_agent_id: parent }) => of === turn && parent === null)
    lane(key, own, 0)
  }
  return rows
}

/** Leaves out rows of a turn that are not on its critical path. `path`: keys of the rows that are. */
export function onlyPath(
  rows: readonly TimelineRow[],
  turn: number,
  path: ReadonlyMap<string, unknown>,
): readonly TimelineRow[] {
  let of: number | null = null
  return rows.filter((row) => {
    if (row.type === 'turn') of = row.turn
    return row.type === 'turn' || row.type === 'note' || of !== turn || path.has(row.key)
  })
}
