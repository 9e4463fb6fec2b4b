import type { Projection } from './projection.ts'
import { createTextIndex, defineViewIndex } from './text-index.ts'

/** Thinking with text; a block with only a signature has nothing to show or find. `thinking_blocks` is a view: see text-index.ts. */
export const thinkingBlocks: Projection = {
  name: 'thinking_blocks',
  define: (t, own) => [
    `CREATE VIEW ${t.thinking_blocks} AS
SELECT b.event_id AS id, e.uuid AS event_uuid, e.session_id, e.turn_id, e.agent_id, e.ts_wall AS timestamp,
       CAST(coalesce(b.content, e.payload ->> '$.text') AS TEXT) AS content, CAST(NULL AS INTEGER) AS tokens
FROM ${t.thinking_rows} b JOIN events e ON e.id = b.event_id`,
    `CREATE TRIGGER ${own('thinking_blocks_delete')} INSTEAD OF DELETE ON ${t.thinking_blocks} BEGIN DELETE FROM ${t.thinking_rows} WHERE event_id = old.id; END`,
    ...defineViewIndex(
      {
        index: t.thinking_fts,
        view: t.thinking_blocks,
        rows: t.thinking_rows,
        name: 'thinking_blocks',
        kinds: ['thinking'],
      },
      own,
    ),
  ],
  open({ prepare, tables: t, isInline }) {
    const insert = prepare(`INSERT INTO ${t.thinking_rows} (event_id, content) VALUES (?, ?)`)
    const text = createTextIndex(prepare, t.thinking_fts, t.thinking_blocks)
    return {
      apply(event) {
        const { kind, id, ts_wall, payload } = event
        if (kind !== 'thinking' || payload.text === '') return
        const isShown = isInline(event)
        insert.run(id, isShown ? null : payload.text)
        text.add(id, isShown ? { content: payload.text, timestamp: ts_wall } : undefined)
      },
      index: text.fill,
      discard: text.discard,
    }
  },
}
