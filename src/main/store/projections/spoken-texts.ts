import type { Projection } from './projection.ts'
import { createTextIndex, defineViewIndex } from './text-index.ts'

interface SpokenText {
  readonly name: 'thinking_blocks' | 'assistant_responses'
  readonly rows: 'thinking_rows' | 'response_rows'
  readonly index: 'thinking_fts' | 'responses_fts'
  readonly kind: 'thinking' | 'assistant_text'
}

/** Thinking with text; a block with only a signature has nothing to show or find. */
export const thinkingBlocks = spokenTexts({
  name: 'thinking_blocks',
  rows: 'thinking_rows',
  index: 'thinking_fts',
  kind: 'thinking',
})

/** The assistant's text, one row per block. */
export const assistantResponses = spokenTexts({
  name: 'assistant_responses',
  rows: 'response_rows',
  index: 'responses_fts',
  kind: 'assistant_text',
})

/** Returns the projection of a kind of texts, which is a view: see text-index.ts. */
function spokenTexts({ name, rows, index, kind: shown }: SpokenText): Projection {
  return {
    name,
    define: (t, own) => [
      `CREATE VIEW ${t[name]} AS
SELECT b.event_id AS id, e.uuid AS event_uuid, e.session_id, e.turn_id, e.agent_id, e.ts_wall AS timestamp,
       CAST(coalesce(b.content, e.payload ->> '$.text') AS TEXT) AS content, CAST(NULL AS INTEGER) AS tokens
FROM ${t[rows]} b JOIN events e ON e.id = b.event_id`,
      `CREATE TRIGGER ${own(`${name}_delete`)} INSTEAD OF DELETE ON ${t[name]} BEGIN DELETE FROM ${t[rows]} WHERE event_id = old.id; END`,
      ...defineViewIndex({ index: t[index], view: t[name], rows: t[rows], name, kinds: [shown] }, own),
    ],
    open({ prepare, tables: t, isInline }) {
      const insert = prepare(`INSERT INTO ${t[rows]} (event_id, content) VALUES (?, ?)`)
      const text = createTextIndex(prepare, t[index], t[name])
      return {
        apply(event) {
          const { kind, id, ts_wall, payload } = event
          if ((kind !== 'thinking' && kind !== 'assistant_text') || kind !== shown || payload.text === '') return
          const isShown = isInline(event)
          insert.run(id, isShown ? null : payload.text)
          text.add(id, isShown ? { content: payload.text, timestamp: ts_wall } : undefined)
        },
        index: text.fill,
        discard: text.discard,
      }
    },
  }
}
