import type { Projection } from './projection.ts'
import { createTextIndex, defineTextIndex } from './text-index.ts'

/** Thinking with text; a block with only a signature has nothing to show or find. */
export const thinkingBlocks: Projection = {
  name: 'thinking_blocks',
  define: (t, own) => [
    `CREATE TABLE ${t.thinking_blocks} (
  id         INTEGER PRIMARY KEY,
  event_uuid TEXT    NOT NULL,
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  agent_id   TEXT,
  timestamp  TEXT    NOT NULL,
  content    TEXT    NOT NULL,
  tokens     INTEGER
) STRICT`,
    `CREATE INDEX ${own('thinking_blocks_by_session')} ON ${t.thinking_blocks} (session_id, turn_id, id)`,
    ...defineTextIndex({ index: t.thinking_fts, table: t.thinking_blocks, name: 'thinking_blocks' }, own),
  ],
  open({ prepare, tables: t }) {
    const insert = prepare(
      `INSERT INTO ${t.thinking_blocks} (id, event_uuid, session_id, turn_id, agent_id, timestamp, content, tokens)
       VALUES (?, ?, ?, ?, ?, ?, ?, NULL)`,
    )
    const text = createTextIndex(prepare, t.thinking_fts, t.thinking_blocks)
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
