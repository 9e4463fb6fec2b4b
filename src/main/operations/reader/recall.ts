import type { ParsedInput } from '../../../shared/contract/index.ts'
import type { Hit } from '../../../shared/contract/recall.ts'
import type { RecallNotes } from '../../../shared/contract/recall-notes.ts'
import { textsWithAll } from '../../recall/search-filter.ts'
import { finderFor } from '../../recall/hit-marks.ts'
import type { Ranked } from '../../recall/rank.ts'
import { searchTexts } from '../../recall/newest-texts.ts'
import type { SearchOptions, SearchResult } from '../../recall/search.ts'
import { snippetOf } from '../../recall/snippet.ts'
import { fromCursor, toCursor } from '../../listings/cursor.ts'
import { monthsOf } from '../../store/read/recall-months.ts'
import { countMatches } from '../../store/read/recall-counts.ts'
import { rememberedUuids } from '../../store/read/people.ts'
import { withMemoriesAndEpisodes } from './remembered-first.ts'
import { typesOf } from './search-types.ts'
import { FIRST_HITS } from './with-episodes.ts'
import { textOf, withUuids } from '../../store/read/recall-docs.ts'
import type { Reader } from '../../store/read/reader.ts'
import { createTitles } from '../../store/read/session-titles.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'

type SearchInput = Pick<
  ParsedInput<'recall.search'>,
  'query' | 'thinking' | 'prompts' | 'responses' | 'tools' | 'session_id' | 'project' | 'since' | 'until'
> &
  Partial<Pick<ParsedInput<'recall.search'>, 'tz' | 'order' | 'syntax' | 'prefix' | 'of_client'>>

export const runSearch = (reader: Reader, input: SearchInput, most: number): SearchResult =>
  searchTexts(reader, optionsOf(input, most))

function optionsOf(input: SearchInput, most: number): SearchOptions {
  return {
    query: input.query,
    types: typesOf(input),
    tools: input.tools,
    session: input.session_id ?? null,
    project: input.project ?? null,
    since: input.since ?? null,
    until: input.until ?? null,
    client: input.of_client ?? null,
    order: input.order ?? 'relevance',
    syntax: input.syntax ?? 'plain',
    prefix: input.prefix ?? false,
    zone: input.tz,
    limit: most,
    now: Date.now(),
  }
}

/** Returns a function that shows a document of a search as a hit. */
export function hitMaker(reader: Reader, result: SearchResult): (ranked: Ranked) => Hit {
  const find = finderFor(result)
  return ({ doc, score, same = [] }) => {
    const text = textOf(reader, doc)
    const { marks, ...lacks } = find(text)
    return {
      match_type: doc.match_type,
      session_id: doc.session_id,
      turn_id: doc.turn_id,
      timestamp: doc.timestamp,
      content: snippetOf(text, marks),
      rank: -score,
      uuid: doc.event_uuid,
      project: doc.project,
      matched: [...new Set(marks.map((mark) => mark.word))],
      ...lacks,
      // Parts of a text that lack the words are no matches here, as they are none in the total.
      ...copiesOf(
        reader,
        !result.isQuestion || lacks.beside === true
          ? same
          : same.filter((copy) => find(textOf(reader, copy)).beside !== true),
      ),
    }
  }
}

/** Copies that a hit names. */
const MAX_NAMED = 5

const copiesOf = (reader: Reader, same: NonNullable<Ranked['same']>): Pick<Hit, 'copies' | 'copies_in'> =>
  same.length === 0
    ? {}
    : {
        copies: same.length,
        copies_in: withUuids(reader, same.slice(0, MAX_NAMED)).map(
          ({ event_uuid: uuid, match_type, session_id, turn_id }) => ({ uuid, match_type, session_id, turn_id }),
        ),
      }

/** Returns one page of a ranked list. The list is ranked again for each page, so the cursor is an offset. */
export function pageOf<Item>(
  result: SearchResult,
  offset: number,
  limit: number,
  toItem: (ranked: Ranked) => Item,
): { items: Item[]; next: string | null; partial?: boolean } {
  const items = result.ranked.slice(offset, offset + limit).map(toItem)
  const more = result.ranked.length > offset + limit
  return { items, next: more ? toCursor([offset + limit]) : null, ...(result.partial ? { partial: true } : {}) }
}

export const offsetOf = (cursor: string | undefined): number =>
  cursor === undefined ? 0 : fromCursor(cursor, ['number'])[0]

/** Leaves out notes that say nothing. */
const noted = (notes: RecallNotes): { notes?: RecallNotes } =>
  Object.values(notes).every((note) => Array.isArray(note) && note.length === 0) ? {} : { notes }

export const recallSearch: ReaderHandler<'recall.search'> = (reader, input) => {
  const offset = offsetOf(input.cursor)
  const most = Math.max(offset + input.limit, FIRST_HITS) + 1
  const result = withMemoriesAndEpisodes(reader, input, runSearch(reader, input, most))
  const remembered = rememberedUuids(reader)
  const toHit = hitMaker(reader, result)
  const titles = createTitles(reader)
  const page = pageOf(result, offset, input.limit, (ranked) => ({
    ...toHit(ranked),
    ...titles(ranked.doc.session_id),
    ...(remembered.has(ranked.doc.event_uuid) ? { remembered: true } : {}),
  }))
  const wanted = input.counts && offset === 0 && !input.prefix
  const counts = wanted && result.strict !== null ? countMatches(reader, result.strict, result.filter, input.tz) : null
  return {
    ...page,
    total: result.total,
    ...(result.isAbout ? { total_about: true } : {}),
    matched_by: [...result.matchedBy],
    ...(counts === null ? {} : { counts }),
    ...noted(result.notes),
  }
}

export const recallMonths: ReaderHandler<'recall.months'> = (reader, input) => {
  const texts = textsWithAll(reader, optionsOf({ ...input, tools: false, session_id: undefined }, 0))
  return texts === null ? { items: [], partial: false } : monthsOf(reader, texts.expression, texts.filter, input.tz)
}
