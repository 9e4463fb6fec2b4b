import { useQueries } from '@tanstack/react-query'
import type { AnyEvent } from '../../../../shared/event.ts'
import { timelineItems } from './timeline-items.ts'
import { type Agent, agentKey, type LaneItems, turnKey } from './timeline-rows.ts'
import { operationQuery } from '../../../lib/operation.ts'

const LANE_EVENTS = 1000

/** Loads the items of open lanes. */
export function useLanes(
  sessionId: string,
  turns: readonly number[],
  agents: readonly Agent[],
  open: ReadonlySet<string>,
): { readonly items: ReadonlyMap<string, LaneItems>; readonly error: Error | null } {
  const lanes = [
    ...turns.map((turn) => ({ key: turnKey(turn), turn, agent: null })),
    ...agents.map(({ agent_id: agent, turn_id: turn }) => ({ key: agentKey(agent), turn, agent })),
  ].filter(({ key }) => open.has(key))
  return useQueries({
    queries: lanes.map(({ turn, agent }) =>
      operationQuery('events.list', {
        session_id: sessionId,
        turn_id: turn,
        agent: agent ?? 'main',
        limit: LANE_EVENTS,
      }),
    ),
    combine: (results) => ({
      error: results.find(({ error }) => error !== null)?.error ?? null,
      items: new Map(
        results.flatMap(({ data }, at) => {
          const lane = lanes[at]
          if (data === undefined || lane === undefined) return []
          // An event of the log has the payload of its kind.
          const items = timelineItems(data.items as readonly unknown[] as readonly AnyEvent[])
          return [[lane.key, { items, isCut: data.next !== null }] as const]
        }),
      ),
    }),
  })
}
