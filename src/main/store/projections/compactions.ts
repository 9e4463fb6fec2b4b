import { settled } from '../settled.ts'
import type { Projection } from './projection.ts'

/** Compactions with the summary that took the place of the history; `tokens`: what was left after it. */
export const compactions: Projection = {
  name: 'compactions',
  tables: ['compactions'],
  open({ prepare }) {
    const insert = prepare(
      `INSERT INTO compactions (id, event_uuid, session_id, turn_id, timestamp, content, tokens, tokens_before, tokens_after)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const correct = prepare<[string, number | null, number | null, number | null, number]>(
      'UPDATE compactions SET content = ?, tokens = ?, tokens_before = ?, tokens_after = ? WHERE id = ?',
    )
    return {
      apply(event) {
        if (event.kind !== 'compaction') return
        const { id, uuid, session_id, turn_id, ts_wall, payload } = event
        const { summary, tokens_before, tokens_after } = payload
        insert.run(id, uuid, session_id, turn_id, ts_wall, summary, tokens_after, tokens_before, tokens_after)
      },
      // The boundary may be told of before the summary is, and only the boundary knows both sizes.
      applySighting(event, sighting, before) {
        if (event.kind !== 'compaction' || sighting.payload === null) return
        const { summary, tokens_before, tokens_after } = settled(event, [...before, sighting]).payload
        correct.run(summary, tokens_after, tokens_before, tokens_after, event.id)
      },
    }
  },
}
