import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import type { Hit } from '../../../../shared/contract/recall.ts'
import { cursorOf, offsetOf } from './pages.ts'
import { unsupported, visible, type Owned, type ReadContext } from './scope.ts'

/** A text that a search found. */
export interface FoundText extends Owned {
  readonly uuid: string
  readonly member: string
  readonly turn_id: number
  readonly kind: 'user_prompt' | 'assistant_response' | 'thinking' | 'compaction'
  readonly ts: Date
  readonly project: string
  readonly content: string
  /** The parts of the text around the words, marked. */
  readonly headline: string
  readonly rank: number
}

/** What a search for texts needs. */
export type TextSearch = Pick<
  ParsedInput<'recall.search'>,
  'query' | 'thinking' | 'prompts' | 'responses' | 'tools' | 'session_id' | 'project' | 'since' | 'until' | 'limit'
> &
  Partial<Pick<ParsedInput<'recall.search'>, 'order' | 'syntax' | 'prefix'>> & { readonly offset: number }

/** A page of a search. `items` has one more than the limit if there are more. */
export interface FoundTexts {
  readonly items: readonly FoundText[]
  readonly total: number
  readonly matchedBy: 'all' | 'any'
}

/** Texts counted at most: a common word would otherwise read every row. */
const MAX_COUNTED = 1000

/** Searches prompts, answers, thinking and summaries: texts with all words, else those with any of them. */
export async function searchTexts(
  context: ReadContext,
  input: ParsedInput<'recall.search'>,
): Promise<OperationOutput<'recall.search'>> {
  const offset = offsetOf(input.cursor)
  const found = await findTexts(context, { ...input, offset })
  const shown = found.items.slice(0, input.limit)
  await context.note('recall.search', shown)
  return {
    items: shown.map((row) => toHit(row, wordsOf(input.query))),
    next: cursorOf(found.items.length > input.limit, offset + input.limit),
    total: found.total,
    matched_by: [found.matchedBy],
  }
}

/** Finds texts with all words, else those with any of them. The caller notes which of them it shows. */
export async function findTexts(context: ReadContext, input: TextSearch): Promise<FoundTexts> {
  if (input.tools) throw unsupported('tool calls and results are not searched')
  if (input.syntax === 'fts5') throw unsupported('the syntax fts5 is that of SQLite')
  const all = await search(context, input, 'all')
  if (all.total > 0 || input.query.trim() === '') return { ...all, matchedBy: 'all' }
  return { ...(await search(context, input, 'any')), matchedBy: 'any' }
}

async function search(context: ReadContext, input: TextSearch, mode: 'all' | 'any') {
  const { sql } = context
  const kinds = [
    ...(input.prompts ? ['user_prompt'] : []),
    ...(input.responses ? ['assistant_response'] : []),
    ...(input.thinking ? ['thinking', 'compaction'] : []),
  ]
  const words = mode === 'all' ? input.query : wordsOf(input.query).join(' or ')
  const where = sql`t.words @@ q.query AND t.kind = ANY(${kinds}) AND ${visible(context, 't')}
    AND ${input.session_id === undefined ? sql`TRUE` : sql`t.session_id = ${input.session_id}`}
    AND ${input.project === undefined ? sql`TRUE` : sql`t.project = ${input.project}`}
    AND ${input.since === undefined ? sql`TRUE` : sql`t.ts >= ${input.since}`}
    AND ${input.until === undefined ? sql`TRUE` : sql`t.ts <= ${input.until}`}`
  const query = sql`(SELECT ${tsquery(context, words, mode === 'all' && input.prefix === true)} AS query) q`
  const order = input.order === 'time' ? sql`t.ts DESC` : sql`rank, t.ts DESC`
  const rows = await sql<FoundText[]>`SELECT f.*, ts_headline('english', left(f.content, 20000), f.query,
      'StartSel=<mark>, StopSel=</mark>, MaxFragments=2, MaxWords=30, MinWords=10, FragmentDelimiter=" … "') AS headline
    FROM (SELECT t.uuid, m.name AS member, t.member_id, t.session_id, t.turn_id, t.kind, t.ts, t.project, t.content, q.query,
        -ts_rank_cd(t.words, q.query) AS rank
      FROM ${query} CROSS JOIN texts t JOIN members m ON m.id = t.member_id
      WHERE ${where} ORDER BY ${order}, t.uuid LIMIT ${input.limit + 1} OFFSET ${input.offset}) f
    ORDER BY ${input.order === 'time' ? sql`f.ts DESC` : sql`f.rank, f.ts DESC`}, f.uuid`
  const [counted] = await sql<{ n: number }[]>`SELECT count(*)::int AS n FROM (
    SELECT 1 FROM ${query} CROSS JOIN texts t WHERE ${where} LIMIT ${MAX_COUNTED}) c`
  return { items: [...rows], total: counted?.n ?? 0 }
}

/** Returns the search as a `tsquery`. With `isTyping` the last word matches as a prefix. */
function tsquery({ sql }: ReadContext, words: string, isTyping: boolean) {
  const last = isTyping ? /^(.*?)([\p{L}\p{N}_]+)$/su.exec(words) : null
  if (last === null) return sql`websearch_to_tsquery('english', ${words})`
  const [, rest = '', word = ''] = last
  const prefix = sql`to_tsquery('english', ${`${word}:*`})`
  return rest.trim() === '' ? prefix : sql`(websearch_to_tsquery('english', ${rest}) && ${prefix})`
}

/** The different words of a query, in lower case. */
export const wordsOf = (query: string): string[] =>
  [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])].slice(0, 50)

/** Returns a text as a hit of the contract. */
export function toHit(row: FoundText, typed: readonly string[]): Hit {
  const text = row.content.toLowerCase()
  return {
    match_type: row.kind,
    session_id: row.session_id,
    turn_id: row.turn_id,
    timestamp: row.ts.toISOString(),
    content: row.headline,
    rank: row.rank,
    uuid: row.uuid,
    project: row.project === '' ? null : row.project,
    matched: typed.filter((word) => text.includes(word)),
  }
}
