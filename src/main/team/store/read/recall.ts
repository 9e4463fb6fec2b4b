import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import type { Hit } from '../../../../shared/contract/recall.ts'
import { badCursor, fromCursor, toCursor } from '../../../listings/cursor.ts'
import { inRange, unsupported, visible, type Owned, type ReadContext, type TeamHandler } from './scope.ts'
import { snippetOf } from '../../../recall/snippet.ts'
import { isDocKind, isNarrowed } from '../../../recall/filters.ts'
import type { RecallQuery } from '../../../recall/query.ts'
import { replacedLetters, SILENT } from '../../../base/words.ts'
import { projectsMeant } from '../../../recall/projects-meant.ts'
import { readTextQuery, type TextQuery } from './text-query.ts'
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
  readonly rank: number
  /** Its time in full: the driver rounds it to milliseconds. */
  readonly at: string
}

/** Parameters of a search for texts. */
export type TextSearch = Pick<
  ParsedInput<'recall.search'>,
  'query' | 'thinking' | 'prompts' | 'responses' | 'tools' | 'session_id' | 'project' | 'since' | 'until' | 'limit'
> &
  Partial<Pick<ParsedInput<'recall.search'>, 'order' | 'syntax' | 'prefix' | 'cursor' | 'of_client' | 'tz'>>

/** A page of a search. */
export interface FoundTexts {
  readonly items: readonly FoundText[]
  readonly next: string | null
  readonly total: number
  /** Set if more texts match than are ranked: the time of the oldest that may be among the items. */
  readonly rankedSince: Date | null
  readonly matchedBy: 'all' | 'any'
  readonly query: TextQuery
}

/**
 * Maximum number of texts that are counted, and minimum that are ranked: a common word would otherwise read every row.
 */
const MAX_COUNTED = 1000
/** Maximum number of newest texts that are ranked, all of which may be from one day. */
const MAX_RANKED = 10_000
/** Maximum number of sessions that a filter selects. */
const MAX_SESSIONS = 200
/** Days back in which the newest matches of a common word are looked for. */
const DAYS_BACK = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

/** Searches prompts, answers, thinking and summaries: texts with all words, else those with any of them. */
export const searchTexts: TeamHandler<'recall.search'> = async (context, input) => {
  const found = await findTexts(context, input)
  await context.note('recall.search', found.items)
  return {
    items: found.items.map((row) => toHit(row, found.query)),
    next: found.next,
    total: found.total,
    matched_by: [found.matchedBy],
    ...notesOf(found),
  }
}

function notesOf({ rankedSince, matchedBy, query }: FoundTexts): Pick<OperationOutput<'recall.search'>, 'notes'> {
  const { asText, unknown, minusWords } = query.parsed
  const valuesOf = (some: typeof asText) => some.map(({ name, value }) => ({ name, value, exists: [] }))
  const isPreferred = matchedBy === 'any' && query.parsed.phrases.length > 0
  const isQuiet = rankedSince === null && !isPreferred
  if (isQuiet && [asText, unknown, minusWords].every(({ length }) => length === 0)) return {}
  return {
    notes: {
      as_text: valuesOf(asText),
      ...(unknown.length === 0 ? {} : { unknown: valuesOf(unknown) }),
      minus_words: [...minusWords],
      ...(isPreferred ? { quotes: 'preferred' as const } : {}),
      ...(rankedSince === null ? {} : { ranked_since: rankedSince.toISOString() }),
    },
  }
}

/** Finds texts with all words, else those with any of them. The caller records which of them it shows. */
export async function findTexts(context: ReadContext, input: TextSearch): Promise<FoundTexts> {
  if (input.tools) throw unsupported('tool calls and results are not searched')
  if (input.of_client !== undefined) throw unsupported('a search cannot be narrowed by client')
  if (input.syntax === 'fts5') throw unsupported('the fts5 syntax is specific to SQLite')
  const zone = input.tz
  const options = { isTyping: input.prefix === true, zone }
  const named = readTextQuery(input.query, { ...options, lookUp: (_, value) => [value] }).parsed
  const [projects, sessions] = await Promise.all([
    storedProjects(context, [named.project, named.not.project ?? null]),
    storedSessions(context, [named.session, named.not.session ?? null]),
  ])
  const query = readTextQuery(input.query, {
    ...options,
    // Texts have no tools, models, agents and clients.
    lookUp: (name, value) =>
      name === 'project'
        ? projectsMeant(projects, value)
        : name === 'session'
          ? sessions.filter((id) => id.startsWith(value))
          : [],
  })
  if (query.parsed.kinds.length > 0 && !query.parsed.kinds.some(isDocKind))
    throw unsupported(`only prompts, answers, thinking and summaries are searched, not ${query.parsed.kinds.join()}`)
  const all = await search(context, input, { ...query, expression: query.all })
  if (all.total > 0 || query.any === '') return { ...all, matchedBy: 'all', query }
  const quotations = query.quotations.filter(({ isExcluded }) => isExcluded)
  const any = await search(context, input, { ...query, expression: query.any, quotations })
  return { ...any, matchedBy: 'any', query }
}

/** Returns the folders of readable sessions, if a search names any. */
async function storedProjects(context: ReadContext, named: readonly (readonly string[] | null)[]): Promise<string[]> {
  if (named.every((values) => values === null)) return []
  const rows = await context.sql<{ project: string }[]>`SELECT DISTINCT s.project FROM sessions s
    WHERE ${visible(context, 's')} AND s.project <> ''`
  return rows.map(({ project }) => project)
}

/** Returns the readable sessions whose ids begin as a search names them. */
async function storedSessions(context: ReadContext, named: readonly (readonly string[] | null)[]): Promise<string[]> {
  const starts = named.flatMap((values) => values ?? [])
  if (starts.length === 0) return []
  const rows = await context.sql<{ id: string }[]>`SELECT DISTINCT s.session_id AS id FROM sessions s
    WHERE ${visible(context, 's')} AND EXISTS (SELECT 1 FROM unnest(${starts}::text[]) start WHERE starts_with(s.session_id, start))
    LIMIT ${MAX_SESSIONS}`
  return rows.map(({ id }) => id)
}

/** Returns the condition of the filters in the words of a search on texts `t`. */
function filterOf({ sql }: ReadContext, { project, session, after, before, kinds, not }: RecallQuery) {
  const among = (column: string, values: readonly string[] | null | undefined) =>
    values === null || values === undefined ? sql`TRUE` : sql`t.${sql(column)} = ANY(${[...values]})`
  const without = (column: string, values: readonly string[] | null | undefined) =>
    values === null || values === undefined ? sql`TRUE` : sql`t.${sql(column)} <> ALL(${[...values]})`
  const spans = (not.spans ?? []).map(
    ({ from, to }) => sql`NOT (t.ts >= ${from ?? '-infinity'} AND t.ts < ${to ?? 'infinity'})`,
  )
  return [
    among('project', project),
    among('session_id', session),
    among('kind', kinds.length === 0 ? null : kinds),
    without('project', not.project),
    without('session_id', not.session),
    without('kind', not.kinds),
    ...(after === null ? [] : [sql`t.ts >= ${after}`]),
    ...(before === null ? [] : [sql`t.ts < ${before}`]),
    ...spans,
  ].reduce((all, condition) => sql`${all} AND ${condition}`)
}

const REPLACED = [...replacedLetters()]
const SINGLE = REPLACED.filter(([, by]) => by.length === 1)
const REPLACED_ONE = SINGLE.map(([letter]) => letter).join('')
const REPLACING_ONE = SINGLE.map(([, by]) => by).join('')
/** Marks of letters, as `fold` removes them; those of Indic letters stay. */
const MARKS = String.raw`[${SILENT}\u3099\u309a]`

/** Returns the content of texts `t` as `fold` has it, but for case. */
function folded({ sql }: ReadContext) {
  const single = sql`translate(normalize(t.content, NFD), ${REPLACED_ONE}, ${REPLACING_ONE})`
  const letters = REPLACED.filter(([, by]) => by.length > 1).reduce(
    (text, [letter, by]) => sql`replace(${text}, ${letter}, ${by})`,
    single,
  )
  return sql`normalize(regexp_replace(${letters}, ${MARKS}, '', 'g'), NFC)`
}

/** Returns the condition of quotations, in their form, on texts `t`. */
const quoting = (context: ReadContext, quotations: TextQuery['quotations']) =>
  quotations
    .map(({ pattern, or, isExcluded }) => {
      const { sql } = context
      const text = folded(context)
      const quoted = pattern === null ? sql`FALSE` : sql`${text} ~* ${pattern}`
      const has = sql`(${quoted} OR ${or === null ? sql`FALSE` : sql`t.words @@ to_tsquery('english', ${or})`})`
      return isExcluded ? sql`NOT ${has}` : has
    })
    .reduce((all, condition) => context.sql`${all} AND ${condition}`, context.sql`TRUE`)

interface Sought extends Pick<TextQuery, 'parsed' | 'quotations'> {
  readonly expression: string
}

async function search(context: ReadContext, input: TextSearch, { expression, parsed, quotations }: Sought) {
  const { sql } = context
  if (expression === '' && !isNarrowed(parsed)) return { items: [], next: null, total: 0, rankedSince: null }
  const kinds = [
    ...(input.prompts ? ['user_prompt'] : []),
    ...(input.responses ? ['assistant_response'] : []),
    ...(input.thinking ? ['thinking', 'compaction'] : []),
  ]
  const where = sql`${expression === '' ? sql`TRUE` : sql`t.words @@ q.query`} AND ${filterOf(context, parsed)} AND ${quoting(context, quotations)} AND t.kind = ANY(${kinds}) AND ${visible(context, 't')}
    AND ${input.session_id === undefined ? sql`TRUE` : sql`t.session_id = ${input.session_id}`}
    AND ${inRange(context, 't.ts', input)}`
  const query = sql`(SELECT to_tsquery('english', ${expression}) AS query) q`
  const [counted] = await sql<{ n: number }[]>`SELECT count(*)::int AS n FROM (
    SELECT 1 FROM ${query} CROSS JOIN texts t WHERE ${where} LIMIT ${MAX_COUNTED}) c`
  const total = counted?.n ?? 0
  if (total === 0) return { items: [], next: null, total, rankedSince: null }
  const isByTime = input.order === 'time'
  const after = placeOf(input.cursor)
  const isLater = after === null ? sql`TRUE` : laterThan(context, after, isByTime)
  const matches = sql`${query} CROSS JOIN texts t WHERE ${where} AND ${isByTime ? isLater : sql`TRUE`}`
  const until = isByTime && after !== null ? after.at : input.until
  const from = total < MAX_COUNTED ? null : await newestSince(context, matches, until)
  const recent = from === null ? sql`TRUE` : since(context, from)
  const order = isByTime ? sql`t.ts DESC` : sql`t.rank, t.ts DESC`
  const rows = await sql<FoundText[]>`SELECT f.*
    FROM (SELECT t.uuid, m.name AS member, t.member_id, t.session_id, t.turn_id, t.kind, t.ts, t.ts::text AS at, t.project,
        t.content, t.rank
      FROM (SELECT t.*, q.query, -ts_rank_cd(t.words, q.query) AS rank FROM ${matches} AND ${recent}
          ${isByTime ? sql`` : sql`LIMIT ${MAX_RANKED}`}) t
        JOIN members m ON m.id = t.member_id
      WHERE ${isByTime ? sql`TRUE` : isLater} ORDER BY ${order}, t.uuid LIMIT ${input.limit + 1}) f
    ORDER BY ${isByTime ? sql`f.ts DESC` : sql`f.rank, f.ts DESC`}, f.uuid`
  const items = rows.slice(0, input.limit)
  const last = rows.length > input.limit ? items.at(-1) : undefined
  const next = last === undefined ? null : toCursor([String(last.rank), last.at, last.uuid])
  return { items, next, total, rankedSince: isByTime ? null : from }
}

/** A text's place in the order of a search. */
interface Place {
  readonly rank: string
  readonly at: string
  readonly uuid: string
}

/** Returns the place after which a page begins. Throws `bad_input`. */
function placeOf(cursor: string | undefined): Place | null {
  if (cursor === undefined) return null
  const [rank, at, uuid] = fromCursor(cursor, ['string', 'string', 'string'])
  if (Number.isNaN(Number(rank)) || Number.isNaN(Date.parse(at)) || !/^[0-9a-f-]{36}$/.test(uuid)) throw badCursor()
  return { rank, at, uuid }
}

/** Returns the condition of texts `t` after a place: older ones and, if sorted by rank, those of a worse rank. */
function laterThan({ sql }: ReadContext, { rank, at, uuid }: Place, isByTime: boolean) {
  const moment = sql`${at}::text::timestamptz`
  const older = sql`(t.ts < ${moment} OR t.ts = ${moment} AND t.uuid > ${uuid}::uuid)`
  return isByTime ? older : sql`(t.rank > ${rank}::text::real OR t.rank = ${rank}::text::real AND ${older})`
}

/**
 * Returns a moment since when enough texts match to fill the ranking, so that older ones are not read; null if there
 * are fewer within the longest range tried.
 */
async function newestSince(
  context: ReadContext,
  matches: ReturnType<typeof visible>,
  until: string | undefined,
): Promise<Date | null> {
  const { sql } = context
  const last = until === undefined ? Date.now() : Math.min(Date.parse(until), Date.now())
  // A whole day, so that all pages of a search rank the same texts.
  const end = Math.ceil(last / DAY_MS) * DAY_MS
  for (const days of DAYS_BACK) {
    const from = new Date(end - days * DAY_MS)
    const [counted] = await sql<{ n: number }[]>`SELECT count(*)::int AS n FROM (
      SELECT 1 FROM ${matches} AND ${since(context, from)} LIMIT ${MAX_COUNTED}) c`
    if (counted?.n === MAX_COUNTED) return from
  }
  return null
}

/** The condition also names the months, so that older partitions are not planned. */
const since = ({ sql }: ReadContext, from: Date) =>
  sql`t.ts >= ${from} AND t.month >= ${`${from.toISOString().slice(0, 7)}-01`}::date`

/** Returns a text as a hit of the contract. */
export function toHit(row: FoundText, { words, marks }: TextQuery): Hit {
  const found = marks.find(row.content)
  return {
    match_type: row.kind,
    session_id: row.session_id,
    user_id: row.member,
    turn_id: row.turn_id,
    timestamp: row.ts.toISOString(),
    content: snippetOf(row.content, found),
    rank: row.rank,
    uuid: row.uuid,
    project: row.project === '' ? null : row.project,
    matched: words.filter((word) => found.some((mark) => mark.word === word)),
  }
}
