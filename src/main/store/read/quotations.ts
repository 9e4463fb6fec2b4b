import type { where } from './page.ts'

/** Where the texts of a kind of document are, by its id. */
export const TEXT_TABLES = {
  user_prompt: 'user_prompts',
  thinking: 'thinking_blocks',
  assistant_response: 'assistant_responses',
  compaction: 'compactions',
  tool: 'tool_texts',
  episode: 'episodes',
} as const

/** A condition on a text: that it has what was quoted, and not only other forms of the words, or the words of an expression. */
export interface Quotation {
  /** Of `patternOf`; null: only the expression counts. */
  readonly pattern: string | null
  /** An FTS5 expression that is enough; null if there is none. */
  readonly or: string | null
  readonly isExcluded: boolean
}

/** The SQL of a text, and of its place in an index of full text. */
interface Place {
  readonly text: string
  readonly index: string
  readonly id: string
  /** The columns that have the text itself. */
  readonly columns: string
}

const DOC_TEXT = Object.entries(TEXT_TABLES)
  .map(([type, table]) => `WHEN '${type}' THEN (SELECT content FROM ${table} WHERE id = d.id)`)
  .join(' ')
/** Of a document `d`. */
export const DOC_PLACE: Place = {
  text: `CASE d.match_type ${DOC_TEXT} END`,
  index: 'recall_fts',
  id: 'd.id',
  columns: 'text parts',
}

/** Adds conditions to a clause. */
export function addQuotations(
  clause: ReturnType<typeof where>,
  quotations: readonly Quotation[] = [],
  { text, index, id, columns }: Place,
): void {
  for (const { pattern, or, isExcluded } of quotations) {
    const quoted = pattern === null ? [] : [[`aspy_quotes(${text}, ?)`, pattern] as const]
    // Read once, for all rows.
    const found = `${id} IN (SELECT rowid FROM ${index} WHERE ${index} MATCH ? AND aspy_goes_on())`
    const has = [...quoted, ...(or === null ? [] : [[found, `{${columns}} : (${or})`] as const])]
    const condition = `${isExcluded ? 'NOT ' : ''}(${has.map(([sql]) => sql).join(' OR ')})`
    // When time is up, no text of a further row is read.
    clause.add(`CASE WHEN aspy_left() THEN ${condition} END`, ...has.map(([, value]) => value))
  }
}
