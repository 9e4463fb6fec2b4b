import type { Projection } from './projection.ts'
import { createTextIndex } from './text-index.ts'

/** What the assistant said, block by block. */
export const assistantResponses: Projection = {
  name: 'assistant_responses',
  tables: ['assistant_responses'],
  open({ prepare }) {
    const insert = prepare(
      `INSERT INTO assistant_responses (id, event_uuid, session_id, turn_id, agent_id, timestamp, content, tokens)
       VALUES (?, ?, ?, ?, ?, ?, ?, NULL)`,
    )
    const text = createTextIndex(prepare, 'responses_fts', 'assistant_responses')
    return {
      apply(event) {
        if (event.kind !== 'assistant_text' || event.payload.text === '') return
        const { id, uuid, session_id, turn_id, agent_id, ts_wall, payload } = event
        insert.run(id, uuid, session_id, turn_id, agent_id, ts_wall, payload.text)
        text.add(id)
      },
      index: text.fill,
      discard: text.discard,
    }
  },
}
