import type { Projection } from './projection.ts'
import { createTextIndex, defineTextIndex } from './text-index.ts'

/** The assistant's text, one row per block. */
export const assistantResponses: Projection = {
  name: 'assistant_responses',
  define: (t, own) => [
    `CREATE TABLE ${t.assistant_responses} (
  id         INTEGER PRIMARY KEY,
  event_uuid TEXT    NOT NULL,
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  agent_id   TEXT,
  timestamp  TEXT    NOT NULL,
  content    TEXT    NOT NULL,
  tokens     INTEGER
) STRICT`,
    `CREATE INDEX ${own('assistant_responses_by_session')} ON ${t.assistant_responses} (session_id, turn_id, id)`,
    ...defineTextIndex({ index: t.responses_fts, table: t.assistant_responses, name: 'assistant_responses' }, own),
  ],
  open({ prepare, tables: t }) {
    const insert = prepare(
      `INSERT INTO ${t.assistant_responses} (id, event_uuid, session_id, turn_id, agent_id, timestamp, content, tokens)
       VALUES (?, ?, ?, ?, ?, ?, ?, NULL)`,
    )
    const text = createTextIndex(prepare, t.responses_fts, t.assistant_responses)
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
