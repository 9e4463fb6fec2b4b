import { isTakenBack, settled } from '../identity/settled.ts'
import type { Projection } from './projection.ts'
import { createTextIndex } from './text-index.ts'

/**
 * Prompts, numbered in their session by time. Older history that comes later moves the numbers up; a prompt that is taken
 * back leaves no row.
 */
export const userPrompts: Projection = {
  name: 'user_prompts',
  tables: ['user_prompts'],
  open({ prepare }) {
    const insert = prepare(
      `INSERT INTO user_prompts (id, event_uuid, session_id, turn_id, prompt_number, content, timestamp, created_at, created_at_epoch)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    // Numbers and times rise together, so the walk from the newest ends at once where prompts come in order.
    const before = prepare<[string, string], number>(
      `SELECT prompt_number FROM user_prompts WHERE session_id = ? AND timestamp <= ? ORDER BY prompt_number DESC LIMIT 1`,
    ).pluck()
    const last = prepare<[string], number | null>(
      'SELECT max(prompt_number) FROM user_prompts WHERE session_id = ?',
    ).pluck()
    // Unique numbers cannot be moved up one by one: they go by way of negative ones.
    const lift = prepare<[string, number]>(
      'UPDATE user_prompts SET prompt_number = -(prompt_number + 1) WHERE session_id = ? AND prompt_number >= ?',
    )
    const settle = prepare<[string]>(
      'UPDATE user_prompts SET prompt_number = -prompt_number WHERE session_id = ? AND prompt_number < 0',
    )
    const numberOf = prepare<[number], number>('SELECT prompt_number FROM user_prompts WHERE id = ?').pluck()
    const remove = prepare<[number]>('DELETE FROM user_prompts WHERE id = ?')
    const lower = prepare<[string, number]>(
      'UPDATE user_prompts SET prompt_number = -(prompt_number - 1) WHERE session_id = ? AND prompt_number > ?',
    )
    const correct = prepare<[string, number, string]>(
      'UPDATE user_prompts SET content = ? WHERE id = ? AND content <> ?',
    )
    const text = createTextIndex(prepare, 'prompts_fts', 'user_prompts')
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
