import { settled } from '../identity/settled.ts'
import type { Projection } from './projection.ts'
import { createTextIndex, defineTextIndex } from './text-index.ts'

/** Failures between client and API, and in our own decoding. */
export const errors: Projection = {
  name: 'errors',
  define: (t, own) => [...defineTextIndex({ index: t.errors_fts, table: t.errors, name: 'errors' }, own)],
  open({ prepare, tables: t }) {
    const insert = prepare(
      `INSERT INTO ${t.errors} (id, event_uuid, session_id, turn_id, agent_id, timestamp, origin, type, status, content)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const correct = prepare(`UPDATE ${t.errors} SET origin = ?, type = ?, status = ?, content = ? WHERE id = ?`)
    const text = createTextIndex(prepare, t.errors_fts, t.errors)
    return {
      apply(event) {
        if (event.kind !== 'error') return
        const { id, uuid, session_id, turn_id, agent_id, ts_wall, payload } = event
        const { origin, type, status, message } = payload
        insert.run(id, uuid, session_id, turn_id, agent_id, ts_wall, origin, type, status, message)
        text.add(id)
      },
      // The client's own report of it may precede the API's.
      applySighting(event, sighting, before) {
        if (event.kind !== 'error' || sighting.payload === null) return
        const { origin, type, status, message } = settled(event, [...before, sighting]).payload
        text.fill()
        correct.run(origin, type, status, message, event.id)
      },
      index: text.fill,
      discard: text.discard,
    }
  },
}
