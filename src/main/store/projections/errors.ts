import type { Projection } from './projection.ts'

/** What went wrong between client and API, and in our own decoding. */
export const errors: Projection = {
  name: 'errors',
  tables: ['errors'],
  open({ prepare }) {
    const insert = prepare(
      `INSERT INTO errors (id, event_uuid, session_id, turn_id, agent_id, timestamp, origin, type, status, content)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    return {
      apply(event) {
        if (event.kind !== 'error') return
        const { id, uuid, session_id, turn_id, agent_id, ts_wall, payload } = event
        const { origin, type, status, message } = payload
        insert.run(id, uuid, session_id, turn_id, agent_id, ts_wall, origin, type, status, message)
      },
    }
  },
}
