import { firstCharacters, lastCharacters } from '../../../shared/cut-text.ts'
import type { AnyEvent, Json } from '../../../shared/event.ts'
import { indexedText } from '../../base/words.ts'
import { settled } from '../identity/settled.ts'
import { toolValue } from './column-json.ts'
import type { Projection } from './projection.ts'
import { createTextIndex, followPayloads } from './text-index.ts'

/** Bounds the search text of a call or a result: its beginning, and its end, where errors usually are. */
const HEAD_CHARACTERS = 3000
const TAIL_CHARACTERS = 1000
/** Escaped, as each thread keeps its code with two bytes per character if any is not Latin-1. */
const ELLIPSIS = '\u2026'

/**
 * Text for recall of tool traffic: names and values of calls, texts of results. `tool_texts` is a view that derives a text
 * from its row in `tool_calls` or `tool_results`; texts that cannot be derived are stored. Triggers of all three tables
 * maintain the index. Runs before those two: pending rows are indexed before one of their rows changes.
 */
export const toolTexts: Projection = {
  name: 'tool_texts',
  drawnFrom: ['tool_calls', 'tool_results'],
  define: (t, own) => [
    `CREATE VIRTUAL TABLE ${t.tools_fts} USING fts5 (content, timestamp UNINDEXED, content = '${t.tool_texts}', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2')`,
    `CREATE VIEW ${t.tool_texts} AS
${sqlTexts(t.tool_calls, t.long_tool_texts, 'c', 'input_json', 'c.tool_name || coalesce(char(10) || ')}
UNION ALL
${sqlTexts(t.tool_results, t.long_tool_texts, 'r', 'output_json', 'coalesce(')}`,
    `CREATE TRIGGER ${own('long_tool_texts_bi')} BEFORE INSERT ON ${t.long_tool_texts} BEGIN INSERT INTO ${t.tools_fts} (${t.tools_fts}, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = new.id; END`,
    `CREATE TRIGGER ${own('long_tool_texts_ai')} AFTER INSERT ON ${t.long_tool_texts} BEGIN INSERT INTO ${t.tools_fts} (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = new.id; END`,
    `CREATE TRIGGER ${own('long_tool_texts_bu')} BEFORE UPDATE OF content ON ${t.long_tool_texts} WHEN new.content <> old.content BEGIN INSERT INTO ${t.tools_fts} (${t.tools_fts}, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = old.id; END`,
    `CREATE TRIGGER ${own('long_tool_texts_au')} AFTER UPDATE OF content ON ${t.long_tool_texts} WHEN new.content <> old.content BEGIN INSERT INTO ${t.tools_fts} (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = new.id; END`,
    `CREATE TRIGGER ${own('long_tool_texts_bd')} BEFORE DELETE ON ${t.long_tool_texts} BEGIN INSERT INTO ${t.tools_fts} (${t.tools_fts}, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = old.id; END`,
    `CREATE TRIGGER ${own('long_tool_texts_ad')} AFTER DELETE ON ${t.long_tool_texts} BEGIN INSERT INTO ${t.tools_fts} (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM ${t.tool_texts} t WHERE t.id = old.id; END`,
    // The view shows the payloads of events: an index row is removed before a payload changes, and added again
    // afterwards.
    ...followPayloads(
      { index: t.tools_fts, view: t.tool_texts, name: 'tool_texts', kinds: ['tool_call', 'tool_result'] },
      own,
    ),
  ],
  open({ prepare, tables: t, isDrawn, isInline }) {
    const keep = prepare(`INSERT INTO ${t.long_tool_texts} (id, session_id, content) VALUES (?, ?, ?)`)
    const forget = prepare(`DELETE FROM ${t.long_tool_texts} WHERE id = ?`)
    const texts = createTextIndex(prepare, t.tools_fts, t.tool_texts)
    /** Keeps the text of a value from which the view derives none, or one whose words it would not keep apart. */
    const keepLong = (event: ToolEvent, value: Json, { content, hasOwnWords }: ToolText): boolean => {
      if (hasOwnWords && isDrawn(value, event.payload)) return false
      keep.run(event.id, event.session_id, content)
      return true
    }
    return {
      apply(event) {
        if (!isOfTool(event)) return
        const value = toolValue(event)
        const text = textOf(event, value)
        const isKnown = keepLong(event, value, text) || (isInline(event) && text.isCutAlike)
        texts.add(event.id, isKnown ? { content: text.content, timestamp: event.ts_wall } : undefined)
      },
      applySighting(event, sighting, before) {
        if (!isOfTool(event) || sighting.payload === null) return
        const better = settled(event, [...before, sighting])
        const [old, value] = [toolValue(settled(event, before)), toolValue(better)]
        if (old === value || JSON.stringify(old) === JSON.stringify(value)) return
        texts.fill()
        forget.run(event.id)
        keepLong(better, value, textOf(better, value))
      },
      index: texts.fill,
      discard: texts.discard,
    }
  },
}

/** SQL for the texts of a table of calls or results, whose alias is `row`: kept texts, else the strings in their JSON. */
const sqlTexts = (table: string, kept: string, row: string, json: string, before: string): string =>
  String.raw`SELECT ${row}.id, ${row}.session_id, ${row}.timestamp, coalesce((SELECT l.content FROM ${kept} l WHERE l.id = ${row}.id), (
    WITH whole_json (json) AS MATERIALIZED (SELECT ${row}.${json}), whole (text) AS MATERIALIZED (SELECT ${before}CASE
       WHEN NOT json_valid(whole_json.json) THEN whole_json.json
       WHEN substr(whole_json.json, 1, 1) = '"' THEN json_extract(whole_json.json, '$')
       ELSE (
         WITH RECURSIVE literal (name, word, rest) AS (
           SELECT NULL, NULL, replace(replace(whole_json.json, '\\', char(1)), '\"', char(2)) || '""'
           UNION ALL
           SELECT CASE WHEN substr(rest, 1, instr(rest, '"') - 1) = ':' THEN word END,
                  substr(rest, instr(rest, '"') + 1, instr(substr(rest, instr(rest, '"') + 1), '"') - 1),
                  substr(rest, instr(rest, '"') + instr(substr(rest, instr(rest, '"') + 1), '"') + 1)
           FROM literal WHERE rest <> ''
         )
         SELECT json_extract('"' || replace(replace(group_concat(word, '\n'), char(2), '\"'), char(1), '\\') || '"', '$')
         FROM literal WHERE word IS NOT NULL AND name IS NOT 'type' AND substr(rest, 1, 1) NOT IN (':', '')
       ) END, '') FROM whole_json)
    SELECT CASE WHEN length(text) > 4000 THEN substr(text, 1, 3000) || ' ${ELLIPSIS} ' || substr(text, -1000) ELSE text END FROM whole
  )) AS content
FROM ${table} ${row}`

type ToolEvent = Extract<AnyEvent, { readonly kind: 'tool_call' | 'tool_result' }>

const isOfTool = (event: AnyEvent): event is ToolEvent => event.kind === 'tool_call' || event.kind === 'tool_result'

interface ToolText {
  /** As indexed. */
  readonly content: string
  /** The index's tokenizer finds its words as they are. */
  readonly hasOwnWords: boolean
  readonly isCutAlike: boolean
}

function textOf(event: ToolEvent, value: Json): ToolText {
  const parts: string[] = event.kind === 'tool_call' ? [event.payload.tool_name] : []
  collectStrings(value, parts)
  const text = parts.join('\n')
  const shown = bounded(text)
  const content = bounded(indexedText(shown))
  return { content, hasOwnWords: content === shown, isCutAlike: isCutAlike(text) }
}

const isWhole = (text: string): boolean => text.length <= HEAD_CHARACTERS + TAIL_CHARACTERS

/** True if the view, which counts code points, cuts a text as `bounded` does. */
const isCutAlike = (text: string): boolean => isWhole(text) || !/[\ud800-\udfff]/.test(text)

function bounded(text: string): string {
  if (isWhole(text)) return text
  return `${firstCharacters(text, HEAD_CHARACTERS)} … ${lastCharacters(text, TAIL_CHARACTERS)}`
}

/** Collects the strings in a JSON value, in order, as the view does; skips the type of content blocks. */
export function collectStrings(value: Json, into: string[]): void {
  if (typeof value === 'string') into.push(value)
  else if (Array.isArray(value)) for (const item of value) collectStrings(item as Json, into)
  else if (value !== null && typeof value === 'object')
    for (const [key, item] of Object.entries(value))
      if (key !== 'type' || typeof item !== 'string') collectStrings(item as Json, into)
}
