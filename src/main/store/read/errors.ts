import { ERRORS, FAILED_TOOLS, type ErrorRow } from '../../listings/errors.ts'
import type { PageInput } from '../../listings/page-query.ts'
import type { ParsedInput } from '../../../shared/contract/index.ts'
import { listRows } from './list-page.ts'
import { toPage } from './page.ts'
import type { Reader, Rows } from './reader.ts'

type ListInput = Partial<ParsedInput<'errors.list'>> & PageInput & { readonly words?: readonly string[] | undefined }

/**
 * Returns errors, newest first; with `tools`, also failed tool calls. `query` is a complete FTS5 expression over the
 * messages of errors, and `words` are its words in lower case: tool calls have no such index and are read.
 */
export function listErrors(reader: Reader, { words, ...input }: ListInput): { items: ErrorRow[]; next: string | null } {
  const rows = listRows(reader, ERRORS, input)
  const failed = input.session_id === undefined ? FAILED_TOOLS.ofAll : FAILED_TOOLS.ofSession
  const query = words === undefined ? {} : { query: JSON.stringify(words) }
  return toPage(
    input.tools === true ? mergedNewestFirst(rows, listRows(reader, failed, { ...input, ...query })) : rows,
    input.limit,
    (row) => [row.timestamp, row.id],
    (row) => row,
  )
}

/**
 * Merges two lists of the same page. If one list was cut short by the time limit, the other must not run ahead of it.
 */
function mergedNewestFirst(one: Rows<ErrorRow>, other: Rows<ErrorRow>): Rows<ErrorRow> {
  const ends = [one, other].flatMap((rows) => (rows.isCut === true ? [rows.lastRead ?? null] : []))
  const merged: Rows<ErrorRow> = [...one, ...other]
    .filter((row) => ends.every((end) => end !== null && newestFirst(row, end) <= 0))
    .toSorted(newestFirst)
  if (ends.length > 0) merged.isCut = true
  return merged
}

const newestFirst = (one: ErrorRow, other: ErrorRow): number =>
  one.timestamp === other.timestamp ? other.id - one.id : one.timestamp < other.timestamp ? 1 : -1

/**
 * Returns how many requests of a session passed while no app served, a sentence for each time that no transcript has filled
 * since; nothing if there is none.
 */
export function unrecordedIn(reader: Reader, session: string): { unrecorded?: string[] } {
  const rows = reader.all<{ content: string }>(
    `SELECT content FROM errors x WHERE session_id = ? AND type = 'unrecorded' AND origin = 'capture'
       AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_id = x.session_id AND e.ts_wall <= x.timestamp AND e.id > x.id
         AND e.source = 'transcript')
     ORDER BY timestamp DESC, id DESC LIMIT 20`,
    session,
  )
  return rows.length === 0 ? {} : { unrecorded: rows.map(({ content }) => content) }
}
