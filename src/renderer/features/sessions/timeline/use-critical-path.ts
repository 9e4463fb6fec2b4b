import { useMemo } from 'react'
import { criticalPath, type CriticalPath } from './critical-path.ts'
import { type Agent, agentKey, type LaneItems, turnKey } from './timeline-rows.ts'
import { useLanes } from './use-lanes.ts'

/**
 * Number of agents on the path whose steps are loaded, longest first; others count as a whole until they are opened.
 */
const MAX_AGENTS = 20

const NO_ITEMS: LaneItems = { items: [], isCut: false }

interface PathOfTurn {
  /** Null while the turn is loading, or if nothing in it took any time. */
  readonly path: CriticalPath | null
  /** Only the first events of long turns and agents are loaded. */
  readonly isCut: boolean
  /** Items of the lanes that were loaded for the path, by lane. */
  readonly items: ReadonlyMap<string, LaneItems>
}

/** The critical path of a turn, through the agents that are on it. `items`: the lanes that are open. */
export function useCriticalPath(
  sessionId: string,
  turn: number,
  agents: readonly Agent[],
  items: ReadonlyMap<string, LaneItems>,
): PathOfTurn {
  const main = items.get(turnKey(turn)) ?? NO_ITEMS
  const own = useMemo(() => agents.filter(({ turn_id: of }) => of === turn), [agents, turn])
  const wanted = useMemo(() => {
    const through = criticalPath({ items: main.items, agents: own, ofAgents: new Map() })
    const onPath = own.filter(({ agent_id: id }) => through?.agents.includes(id) === true)
    const longest = onPath.toSorted((one, other) => durationOf(other) - durationOf(one)).slice(0, MAX_AGENTS)
    return new Set(longest.map(({ agent_id: id }) => agentKey(id)))
  }, [main, own])
  const { items: more } = useLanes(sessionId, NO_TURNS, own, wanted)
  return useMemo(() => {
    const lanes = new Map([...items, ...more])
    const ofAgents = new Map(
      own.flatMap(({ agent_id: id }) => {
        const lane = lanes.get(agentKey(id))
        return lane === undefined ? [] : [[id, lane.items] as const]
      }),
    )
    const path = criticalPath({ items: main.items, agents: own, ofAgents })
    const isCut = main.isCut || path?.agents.some((id) => lanes.get(agentKey(id))?.isCut === true) === true
    return { path, isCut, items: lanes }
  }, [items, more, main, own])
}

const NO_TURNS: readonly number[] = []

const durationOf = ({ started_at: started, ended_at: ended }: Agent): number =>
  started === null || ended === null ? 0 : Date.parse(ended) - Date.parse(started)
