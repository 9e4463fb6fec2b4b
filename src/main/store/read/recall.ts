import { AspyError } from '../../../shared/contract/errors.ts'
import { NOT_UNDER_DELETION } from '../delete/deletions.ts'
import { inBudget } from './budget.ts'
import { where } from './page.ts'
import { addQuotations, DOC_PLACE, type Quotation } from './quotations.ts'
import { type IdRange, rangeOfIndex } from './recall-frequency.ts'
import type { DocType } from './recall-docs.ts'
import type { Reader } from './reader.ts'

/** Narrows a search. If a list of values is given, any of them matches; null: all. */
export interface RecallFilter {
  /** Empty: all. */
  readonly types: readonly DocType[]
  readonly session: readonly string[] | null
  readonly project: readonly string[] | null
  /** ISO 8601. */
  readonly since: string | null
  readonly until: string | null
  /** Ids; `main` selects the main agent. */
  readonly agent: readonly string[] | null
  readonly model: readonly string[] | null
  readonly client: readonly string[] | null
  /** Keeps the newest matches if there are too many, not the best. */
  readonly isNewestFirst?: boolean
  readonly quotations?: readonly Quotation[]
  /** Values that exclude a document. */
  readonly not?: Partial<Pick<ToolFilter, ScopeName | 'tool'>> & {
    readonly spans?: readonly { readonly from: string | null; readonly to: string | null }[]
  }
}
type ScopeName = 'session' | 'project' | 'agent' | 'model' | 'client'

export interface Match {
  readonly id: number
  /** bm25: lower is better. */
  readonly score: number
}

/**
 * Weights of the columns text, parts, near: neighbours improve results, but a higher weight would make the first one
 * worse.
 */
const BM25 = 'bm25(recall_fts, 1.0, 0.6, 0.35)'

export const AMONG = 'IN (SELECT value FROM json_each(?))'

/**
 * Builds the condition that a row of a session was recorded in one of several folders, or its session began in one. It
 * takes the list of folders twice.
 */
export const inProject = (row: string, own = row): string =>
  `(${own}.project ${AMONG} OR ${row}.session_id IN (SELECT s.id FROM sessions s WHERE s.project ${AMONG}))`

/** Conditions on documents or events `d`, each with a list of values. */
const SCOPES: { readonly [Name in ScopeName]: (values: readonly string[]) => string } = {
  session: () => `d.session_id ${AMONG}`,
  project: () => inProject('d'),
  agent: (values) => `(${values.includes('main') ? 'd.agent_id IS NULL OR ' : ''}d.agent_id ${AMONG})`,
  model: () =>
    `EXISTS (SELECT 1 FROM api_usage u WHERE u.session_id = d.session_id AND u.turn_id = d.turn_id AND u.model ${AMONG})`,
  client: () => `EXISTS (SELECT 1 FROM sessions s WHERE s.id = d.session_id AND s.client ${AMONG})`,
}
const SCOPE_NAMES = ['session', 'project', 'agent', 'model', 'client'] as const
/** Returns a list of values for each `?` of a condition. */
const eachOf = (sql: string, values: readonly string[]): string[] =>
  Array.from(sql.matchAll(/\?/g), () => JSON.stringify(values))
/** A value that is not recorded cannot be the excluded one. */
const not = (condition: string): string => `NOT coalesce((${condition}), 0)`

/** Builds the conditions of a filter on documents or events `d`, whose time is in the column `time`. */
function scopeFilter(reader: Reader, filter: Omit<RecallFilter, 'types'>, time: string) {
  const clause = where()
  if (reader.leavesSessionsOut()) clause.add(`d.${NOT_UNDER_DELETION}`)
  for (const name of SCOPE_NAMES) {
    const [values, excluded] = [filter[name], filter.not?.[name] ?? null]
    if (values !== null) clause.add(SCOPES[name](values), ...eachOf(SCOPES[name](values), values))
    if (excluded !== null) clause.add(not(SCOPES[name](excluded)), ...eachOf(SCOPES[name](excluded), excluded))
  }
  for (const { from, to } of filter.not?.spans ?? [])
    clause.add(`NOT (d.${time} >= ? AND d.${time} < ?)`, from ?? '', to ?? '\uffff')
  if (filter.since !== null) clause.add(`d.${time} >= ?`, filter.since)
  if (filter.until !== null) clause.add(`d.${time} < ?`, filter.until)
  return clause
}

/** Builds the conditions of a filter on documents `d`. */
export function docFilter(reader: Reader, filter: RecallFilter) {
  const clause = scopeFilter(reader, filter, 'timestamp')
  if (filter.types.length > 0) clause.add(`d.match_type ${AMONG}`, JSON.stringify(filter.types))
  addQuotations(clause, filter.quotations, DOC_PLACE)
  return clause
}

/** Finds the range of the log that holds a filter's documents, to bound the reads of a query for a common word. */
function idRange(reader: Reader, filter: RecallFilter): IdRange {
  if (filter.session === null) return rangeOfIndex(reader)
  const range = reader.get<{ first: number | null; last: number | null }>(
    `SELECT min(id) AS first, max(id) AS last FROM recall_docs WHERE session_id ${AMONG}`,
    JSON.stringify(filter.session),
  )
  return { first: range?.first ?? 0, last: range?.last ?? -1 }
}

export interface Matched {
  readonly matches: Match[]
  /** All documents that matched, listed or not. */
  readonly counted: number
  /** True if not all documents were searched. */
  readonly partial: boolean
}

/**
 * Ranks documents that match an FTS5 expression by bm25, or by time if the filter requests it. Reads the index rows of
 * every word in the expression.
 */
export function matchDocs(reader: Reader, expression: string, filter: RecallFilter, limit: number): Matched {
  const range = filter.session === null ? null : idRange(reader, filter)
  return guarded(reader, () => queryDocs(reader, expression, filter, { limit, range, ranked: true }))
}

/** The first range of the log that `newestMatches` searches; each further range is twice as long. */
const FIRST_STRETCH = 1000

/**
 * Returns the newest matching documents, unranked: for words so common that counting them would take too long. Goes back
 * through the log range by range until it has enough or its time is up.
 */
export function newestMatches(
  reader: Reader,
  expression: string,
  filter: RecallFilter,
  { limit, ms }: { limit: number; ms: number },
): Matched {
  const { first, last } = idRange(reader, filter)
  const matches: Match[] = []
  const until = performance.now() + ms
  let begun = performance.now()
  let top = last
  for (let stretch = FIRST_STRETCH; top >= first && matches.length < limit; stretch *= 2) {
    // The next range will take about twice as long as this one.
    const now = performance.now()
    if (now + (now - begun) * 2 > until) break
    begun = now
    const range = { first: Math.max(first, top - stretch + 1), last: top }
    const found = guarded(reader, () =>
      queryDocs(reader, expression, filter, { limit: limit - matches.length, range, ranked: false }),
    )
    matches.push(...found.matches)
    if (found.partial) break
    top = range.first - 1
  }
  return { matches, counted: matches.length, partial: top >= first }
}

/** The score is not used, but as a sort key it is computed for each match, which counts the matches. */
const byTime = (time: string, index: string): string => `${time} DESC, ${index}.rowid DESC, score`

function queryDocs(
  reader: Reader,
  expression: string,
  filter: RecallFilter,
  options: { limit: number; range: { first: number; last: number } | null; ranked: boolean },
): Match[] {
  const clause = docFilter(reader, filter)
  const bounds = options.range === null ? [] : [options.range.first, options.range.last]
  const isByTime = options.ranked && filter.isNewestFirst === true
  const join = clause.sql === '' && !isByTime ? '' : 'CROSS JOIN recall_docs d ON d.id = recall_fts.rowid'
  // The driver binds numbers as reals, but the index uses bounds only if they are integers.
  const within = options.range === null ? '' : 'AND recall_fts.rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)'
  const rest = clause.sql === '' ? '' : `AND ${clause.sql.slice('WHERE '.length)}`
  const score = options.ranked ? `aspy_rank(${BM25})` : 'aspy_rank(0.0)'
  const order = isByTime
    ? byTime('d.timestamp', 'recall_fts')
    : `${options.ranked ? 'score, ' : ''}recall_fts.rowid DESC`
  return reader.all<Match>(
    `SELECT recall_fts.rowid AS id, ${score} AS score FROM recall_fts ${join}
     WHERE recall_fts MATCH ? ${within} ${rest} ORDER BY ${order} LIMIT ?`,
    expression,
    ...bounds,
    ...clause.values,
    options.limit,
  )
}

export type ToolFilter = RecallFilter & { readonly tool: readonly string[] | null }

/** Returns tool calls and results that match, in the order of `matchDocs`. */
export function matchTools(reader: Reader, expression: string, filter: ToolFilter, limit: number): Matched {
  const clause = toolFilter(reader, filter)
  const rest = clause.sql === '' ? '' : `AND ${clause.sql.slice('WHERE '.length)}`
  return guarded(reader, () =>
    reader.all<Match>(
      `SELECT tools_fts.rowid AS id, aspy_rank(bm25(tools_fts)) AS score
       FROM tools_fts CROSS JOIN events d ON d.id = tools_fts.rowid
       WHERE tools_fts MATCH ? ${rest}
       ORDER BY ${filter.isNewestFirst === true ? byTime('d.ts_wall', 'tools_fts') : 'score, tools_fts.rowid DESC'} LIMIT ?`,
      expression,
      ...clause.values,
      limit,
    ),
  )
}

/** Returns the newest tool calls of a filter, for a search without words. */
export function newestTools(reader: Reader, filter: ToolFilter, limit: number): Newest {
  const clause = toolFilter(reader, filter)
  clause.add("d.kind = 'tool_call'")
  return newestOf(
    reader,
    `events d INDEXED BY events_by_kind_time ${clause.sql} ORDER BY d.ts_wall`,
    clause.values,
    limit,
  )
}

const TOOL_OF_EVENT = `coalesce((SELECT c.tool_name FROM tool_call_rows c WHERE c.event_id = d.id),
  (SELECT c.tool_name FROM tool_result_rows r JOIN tool_call_rows c ON c.call_id = r.call_id WHERE r.event_id = d.id LIMIT 1)) ${AMONG}`

function toolFilter(reader: Reader, filter: ToolFilter) {
  const clause = scopeFilter(reader, filter, 'ts_wall')
  const excluded = filter.not?.tool ?? null
  if (filter.tool !== null) clause.add(TOOL_OF_EVENT, JSON.stringify(filter.tool))
  if (excluded !== null) clause.add(not(TOOL_OF_EVENT), JSON.stringify(excluded))
  const text = '(SELECT content FROM tool_texts WHERE id = d.id)'
  addQuotations(clause, filter.quotations, { text, index: 'tools_fts', id: 'd.id', columns: 'content' })
  return clause
}

function guarded(reader: Reader, run: () => Match[]): Matched {
  const before = reader.budget.rows
  const matches = inBudget(run)
  const partial = matches === null || reader.budget.wasCut
  return { matches: matches ?? [], counted: reader.budget.rows - before, partial }
}

/** Checks a raw FTS5 expression. @throws AspyError bad_query with the position, if SQLite names it */
export function checkExpression(reader: Reader, expression: string): void {
  try {
    reader.get(
      'SELECT recall_fts.rowid FROM recall_fts CROSS JOIN recall_docs d ON d.id = recall_fts.rowid WHERE recall_fts MATCH ? LIMIT 1',
      expression,
    )
  } catch (error) {
    if (error instanceof AspyError || !(error instanceof Error)) throw error
    throw new AspyError('bad_query', describePosition(expression, error.message), { cause: error })
  }
}

function describePosition(expression: string, message: string): string {
  const near = /near "(.*)"/s.exec(message)?.[1]
  const place = near === undefined || near === '' ? expression.length : expression.indexOf(near)
  return `query: ${message.replace(/^fts5: /, '')} at character ${Math.max(place, 0) + 1} of ${expression}`
}

/**
 * Returns the number of documents as the index itself counts them: the first varint of its averages record (row 1 of its
 * data). Counting rows would read a whole index.
 */
export function countDocs(reader: Reader): number {
  const record = reader.get<{ block: Buffer }>('SELECT block FROM recall_fts_data WHERE id = 1')?.block
  let count = 0
  for (const byte of record ?? []) {
    count = count * 128 + (byte & 0x7f)
    if (byte < 0x80) break
  }
  return count
}

/** Returns the newest documents of a filter, for a search without words. */
export function newestDocs(reader: Reader, filter: RecallFilter, limit: number): Newest {
  const clause = docFilter(reader, filter)
  return newestOf(reader, `recall_docs d ${clause.sql} ORDER BY d.timestamp`, clause.values, limit)
}

/** Rows that a search without words counts: a filter may select the whole log. */
export const MAX_NEWEST = 2000

interface Newest extends Matched {
  /** There are more than were counted. */
  readonly isMore: boolean
}

function newestOf(reader: Reader, rows: string, values: readonly (string | number)[], limit: number): Newest {
  const newest = (most: number) =>
    reader.all<{ id: number }>(`SELECT d.id, aspy_rank(0) FROM ${rows} DESC, d.id DESC LIMIT ?`, ...values, most)
  const found = guarded(reader, () => newest(Math.max(limit, MAX_NEWEST + 1)).map(({ id }) => ({ id, score: 0 })))
  const { length } = found.matches
  const isMore = length > MAX_NEWEST
  return { ...found, matches: found.matches.slice(0, limit), counted: isMore ? MAX_NEWEST : length, isMore }
}
