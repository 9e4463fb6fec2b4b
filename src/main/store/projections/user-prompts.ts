import { isTakenBack, settled } from '../identity/settled.ts'
import type { Projection } from './projection.ts'
import { createTextIndex, defineTextIndex } from './text-index.ts'

/**
 * Prompts, numbered within their session by time. Older history that arrives later increases the numbers; a prompt that
 * is withdrawn leaves no row.
 */
export const userPrompts: Projection = {
  name: 'user_prompts',
  define: (t, own) => [...defineTextIndex({ index: t.prompts_fts, table: t.user_prompts, name: 'user_prompts' }, own)],
  open({ prepare, tables: t }) {
    const insert = prepare(
      `INSERT INTO ${t.user_prompts} (id, event_uuid, session_id, turn_id, prompt_number, content, timestamp, created_at, created_at_epoch)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    // Numbers and times increase together, so the walk from the newest ends at once if prompts arrive in order.
    const before = prepare<[string, string], number>(
      `SELECT prompt_number FROM ${t.user_prompts} WHERE session_id = ? AND timestamp <= ? ORDER BY prompt_number DESC LIMIT 1`,
    ).pluck()
    const last = prepare<[string], number | null>(
      `SELECT max(prompt_number) FROM ${t.user_prompts} WHERE session_id = ?`,
    ).pluck()
    // Unique numbers cannot be increased one by one, so they become negative first.
    const lift = prepare<[string, number]>(
      `UPDATE ${t.user_prompts} SET prompt_number = -(prompt_number + 1) WHERE session_id = ? AND prompt_number >= ?`,
    )
    const settle = prepare<[string]>(
      `UPDATE ${t.user_prompts} SET prompt_number = -prompt_number WHERE session_id = ? AND prompt_number < 0`,
    )
    const numberOf = prepare<[number], number>(`SELECT prompt_number FROM ${t.user_prompts} WHERE id = ?`).pluck()
    const remove = prepare<[number]>(`DELETE FROM ${t.user_prompts} WHERE id = ?`)
    const lower = prepare<[string, number]>(
      `UPDATE ${t.user_prompts} SET prompt_number = -(prompt_number - 1) WHERE session_id = ? AND prompt_number > ?`,
    )
    const correct = prepare<[string, number, string]>(
      `UPDATE ${t.user_prompts} SET content = ? WHERE id = ? AND content <> ?`,
    )
    const text = createTextIndex(prepare, t.prompts_fts, t.user_prompts)
    return {
      apply(event) {
        if (event.kind !== 'user_prompt') return
        const number = (before.get(event.session_id, event.ts_wall) ?? 0) + 1
        if (number <= (last.get(event.session_id) ?? 0)) {
          lift.run(event.session_id, number)
          settle.run(event.session_id)
        }
        insert.run(
          event.id,
          event.uuid,
          event.session_id,
          event.turn_id,
          number,
          event.payload.text,
          event.ts_wall,
          event.ts_wall,
          Date.parse(event.ts_wall),
        )
        text.add(event.id)
      },
      applySighting(event, sighting, before) {
        if (event.kind !== 'user_prompt' || sighting.payload === null) return
        const number = numberOf.get(event.id)
        if (number === undefined) return
        text.fill()
        if (isTakenBack([sighting])) {
          remove.run(event.id)
          lower.run(event.session_id, number)
          settle.run(event.session_id)
          return
        }
        if (sighting.payload['text'] === undefined) return
        const { payload } = settled(event, [...before, sighting])
        correct.run(payload.text, event.id, payload.text)
      },
      index: text.fill,
      discard: text.discard,
    }
  },
}
