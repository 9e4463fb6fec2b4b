import type { Projection } from './projection.ts'
import { createTextIndex } from './text-index.ts'

/** Thinking that came with its text; what came as a signature alone has nothing to show or find. */
export const thinkingBlocks: Projection = {
  name: 'thinking_blocks',
  tables: ['thinking_blocks'],
  open({ prepare }) {
    const insert = prepare(
      `INSERT INTO thinking_blocks (id, event_uuid, session_id, turn_id, agent_id, timestamp, content, tokens)
       VALUES (?, ?, ?, ?, ?, ?, ?, NULL)`,
    )
    const text = createTextIndex(prepare, 'thinking_fts', 'thinking_blocks')
    return {
      apply(event) {
        if (event.kind !== 'thinking' || event.payload.text === '') return
        const { id, uuid, session_id, turn_id, agent_id, ts_wall, payload } = event
        insert.run(id, uuid, session_id, turn_id, agent_id, ts_wall, payload.text)
        text.add(id)
      },
      index: text.fill,
      discard: text.discard,
    }
  },
}
