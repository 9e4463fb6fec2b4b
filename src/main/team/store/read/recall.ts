import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import type { Hit } from '../../../../shared/contract/recall.ts'
import { cursorOf, offsetOf } from './pages.ts'
import { unsupported, visible, type Owned, type ReadContext } from './scope.ts'
import { DAY_MS } from '../../../../shared/time-units.ts'

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
  /** Set if more texts match than are ranked: the time of the oldest that may be among the items. */
  readonly rankedSince: Date | null
  readonly matchedBy: 'all' | 'any'
}

/** Texts counted at most, and ranked at least: a common word would otherwise read every row. */
const MAX_COUNTED = 1000
/** Texts ranked at most, of the newest: so many may be of one day. */
const MAX_RANKED = 10_000
/** Days back in which the newest matches of a common word are looked for. */
const DAYS_BACK = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

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
    ...(found.rankedSince === null
      ? {}
      : { notes: { as_text: [], minus_words: [], ranked_since: found.rankedSince.toISOString() } }),
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
  const [counted] = await sql<{ n: number }[]>`SELECT count(*)::int AS n FROM (
    SELECT 1 FROM ${query} CROSS JOIN texts t WHERE ${where} LIMIT ${MAX_COUNTED}) c`
  const total = counted?.n ?? 0
  if (total === 0) return { items: [], total, rankedSince: null }
  const isByTime = input.order === 'time'
  const wanted = Math.max(MAX_COUNTED, isByTime ? input.offset + input.limit + 1 : 0)
  const matches = sql`${query} CROSS JOIN texts t WHERE ${where}`
  const from = total < MAX_COUNTED ? null : await newestSince(context, matches, { until: input.until, wanted })
  const recent = from === null ? sql`TRUE` : since(context, from)
  const order = isByTime ? sql`t.ts DESC` : sql`rank, t.ts DESC`
  const rows = await sql<FoundText[]>`SELECT f.*, ts_headline('english', left(f.content, 20000), f.query,
      'StartSel=<mark>, StopSel=</mark>, MaxFragments=2, MaxWords=30, MinWords=10, FragmentDelimiter=" … "') AS headline
    FROM (SELECT t.uuid, m.name AS member, t.member_id, t.session_id, t.turn_id, t.kind, t.ts, t.project, t.content, t.query,
        -ts_rank_cd(t.words, t.query) AS rank
      FROM (SELECT t.*, q.query FROM ${matches} AND ${recent} ${isByTime ? sql`` : sql`LIMIT ${MAX_RANKED}`}) t
        JOIN members m ON m.id = t.member_id
      ORDER BY ${order}, t.uuid LIMIT ${input.limit + 1} OFFSET ${input.offset}) f
    ORDER BY ${isByTime ? sql`f.ts DESC` : sql`f.rank, f.ts DESC`}, f.uuid`
  return { items: [...rows], total, rankedSince: isByTime ? null : from }
}

/**
 * Returns a moment since which at least the wanted number of texts match, so that only these are read; null if there are
 * fewer within the longest time that is tried.
 */
async function newestSince(
  context: ReadContext,
  matches: ReturnType<typeof visible>,
  { until, wanted }: { readonly until: string | undefined; readonly wanted: number },
): Promise<Date | null> {
  const { sql } = context
  const last = until === undefined ? Date.now() : Math.min(Date.parse(until), Date.now())
  // A whole day, so that all pages of a search rank the same texts.
  const end = Math.ceil(last / DAY_MS) * DAY_MS
  for (const days of DAYS_BACK) {
    const from = new Date(end - days * DAY_MS)
    const [counted] = await sql<{ n: number }[]>`SELECT count(*)::int AS n FROM (
      SELECT 1 FROM ${matches} AND ${since(context, from)} LIMIT ${wanted}) c`
    if (counted?.n === wanted) return from
  }
  return null
}

/** The months are named, too, so that older ones are not planned. */
const since = ({ sql }: ReadContext, from: Date) =>
  sql`t.ts >= ${from} AND t.month >= ${`${from.toISOString().slice(0, 7)}-01`}::date`

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
