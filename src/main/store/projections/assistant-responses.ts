import type { Projection } from './projection.ts'
import { createTextIndex, defineViewIndex } from './text-index.ts'

/** The assistant's text, one row per block. `assistant_responses` is a view: see text-index.ts. */
export const assistantResponses: Projection = {
  name: 'assistant_responses',
  define: (t, own) => [
    `CREATE VIEW ${t.assistant_responses} AS
SELECT b.event_id AS id, e.uuid AS event_uuid, e.session_id, e.turn_id, e.agent_id, e.ts_wall AS timestamp,
       CAST(coalesce(b.content, e.payload ->> '$.text') AS TEXT) AS content, CAST(NULL AS INTEGER) AS tokens
FROM ${t.response_rows} b JOIN events e ON e.id = b.event_id`,
    `CREATE TRIGGER ${own('assistant_responses_delete')} INSTEAD OF DELETE ON ${t.assistant_responses} BEGIN DELETE FROM ${t.response_rows} WHERE event_id = old.id; END`,
    ...defineViewIndex(
      {
        index: t.responses_fts,
        view: t.assistant_responses,
        rows: t.response_rows,
        name: 'assistant_responses',
        kinds: ['assistant_text'],
      },
      own,
    ),
  ],
  open({ prepare, tables: t, isInline }) {
    const insert = prepare(`INSERT INTO ${t.response_rows} (event_id, content) VALUES (?, ?)`)
    const text = createTextIndex(prepare, t.responses_fts, t.assistant_responses)
    return {
      apply(event) {
        const { kind, id, ts_wall, payload } = event
        if (kind !== 'assistant_text' || payload.text === '') return
        const isShown = isInline(event)
        insert.run(id, isShown ? null : payload.text)
        text.add(id, isShown ? { content: payload.text, timestamp: ts_wall } : undefined)
      },
      index: text.fill,
      discard: text.discard,
    }
  },
}
