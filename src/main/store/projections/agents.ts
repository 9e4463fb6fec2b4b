import type { AspyEvent } from '../../../shared/event.ts'
import { settled } from '../identity/settled.ts'
import { flag, type Projection } from './projection.ts'

/** Subagents: the call that started each, and when it ended. */
export const agents: Projection = {
  name: 'agents',
  open({ prepare, tables: t }) {
    const start = prepare(
      `INSERT INTO ${t.agents} (session_id, agent_id, agent_type, parent_agent_id, call_id, turn_id, started_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (session_id, agent_id) DO UPDATE SET agent_type = coalesce(excluded.agent_type, agent_type),
         parent_agent_id = coalesce(excluded.parent_agent_id, parent_agent_id),
         call_id = coalesce(excluded.call_id, call_id), turn_id = excluded.turn_id, started_at = excluded.started_at`,
    )
    const end = prepare(
      `INSERT INTO ${t.agents} (session_id, agent_id, agent_type, turn_id, ended_at, success) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (session_id, agent_id) DO UPDATE SET agent_type = coalesce(agent_type, excluded.agent_type),
         ended_at = excluded.ended_at, success = excluded.success`,
    )
    const writeStart = ({ session_id, turn_id, ts_wall, payload }: AspyEvent<'agent_started'>) => {
      const { agent_id, agent_type, parent_agent_id, call_id } = payload
      start.run(session_id, agent_id, agent_type, parent_agent_id, call_id, turn_id, ts_wall)
    }
    return {
      apply(event) {
        if (event.kind === 'agent_started') writeStart(event)
        if (event.kind !== 'agent_ended') return
        const { session_id, turn_id, ts_wall, success, payload } = event
        end.run(session_id, payload.agent_id, payload.agent_type, turn_id, ts_wall, flag(success))
      },
      applySighting(event, sighting, before) {
        if (event.kind === 'agent_started' && sighting.payload !== null)
          writeStart(settled(event, [...before, sighting]))
      },
    }
  },
}
