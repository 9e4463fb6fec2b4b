import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput, ParsedInput } from '../../../shared/contract/index.ts'
import { firstCharacters } from '../../../shared/cut-text.ts'
import { describeMatch } from '../../../shared/hit-words.ts'
import { describeNotes } from '../../../shared/recall-notes.ts'
import { type Evidence, evidenceOf } from '../../recall/evidence.ts'
import { finderFor } from '../../recall/hit-marks.ts'
import { harmless } from '../../../shared/harmless.ts'
import { cutAt, makePack, type PackItem } from '../../recall/pack.ts'
import type { SearchResult } from '../../recall/search.ts'
import { isLimited } from '../../recall/search-filter.ts'
import { excerptOf } from '../../recall/snippet.ts'
import { requireEventRow, toEvent } from '../../store/read/events.ts'
import type { EventRow } from '../../store/log/log.ts'
import { docsAround, type FoundDoc, type RecallDocRow, textOf, withUuids } from '../../store/read/recall-docs.ts'
import type { Reader } from '../../store/read/reader.ts'
import { turnUnderWay } from '../../store/read/sessions.ts'
import { isShortened } from '../../store/read/tool-text-parts.ts'
import { callerOf } from '../../store/read/tools.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { packItem, withActions, withShortIds } from './pack-items.ts'
import { docOfHit, textToQuote } from './recall-pack.ts'
import { runSearch } from './recall.ts'
import { withMemoriesAndEpisodes } from './remembered-first.ts'
import { FIRST_HITS } from './with-episodes.ts'

type ContextInput = ParsedInput<'recall.context'>
type ContextOutput = OperationOutput<'recall.context'>

/** Bounds the notes of an answer, which are part of its budget. */
const MAX_NOTE_CHARACTERS = 800
/** Budget of an answer in tokens, and the minimum that each further hit adds to it. */
const DEFAULT_BUDGET = 1000
const TOKENS_PER_HIT = 100
/** Characters of an answer outside its hits, and those of a hit outside its text. */
const FRAME_CHARACTERS = 650
const SOURCE_CHARACTERS = 110
const MIN_SHARE = 80
/** Shown for a hit without a text, which filters may list. */
const NO_TEXT = '(no text)'
/** Number of hits to show if none is good, or if the best has less than this share of the words' weight. */
const MAX_WEAK = 3
const HARDLY = 0.2

/** Searches without texts of the caller's current turn: it has these very words, so they would rank first without helping. */
function searchElsewhere(reader: Reader, input: ContextInput, most: number): SearchResult {
  const { asked_in: session } = input
  // The first hits are mostly of that turn: a second search would take as long as the first.
  for (let limit = session === undefined ? most : 2 * most; ; limit *= 2) {
    const found = runSearch(reader, input, limit)
    // Read after the search, which may find a turn that began meanwhile.
    const turn = session === undefined ? null : turnUnderWay(reader, session)
    if (turn === null) return found
    const isOther = ({ session_id, turn_id }: FoundDoc) => session_id !== session || turn_id !== turn
    const find = finderFor(found)
    let { total } = found
    const ranked = found.ranked.flatMap(({ doc, same = [], score }) => {
      const { true: others = [], false: own = [] } = Object.groupBy([doc, ...same], (one) => `${isOther(one)}`)
      total -= own.filter((one) => find(textOf(reader, one)).beside !== true).length
      // A copy from elsewhere takes its place.
      return withUuids(reader, others.slice(0, 1)).map((first) => ({ doc: first, score, same: others.slice(1) }))
    })
    if (ranked.length >= most || found.ranked.length < limit) return { ...found, ranked, total }
  }
}

/** Returns the best hits as one text. Long hits are cut to the matching part: the hits share the budget. */
function contextOf(
  reader: Reader,
  input: ContextInput,
  order: (found: SearchResult) => SearchResult = (found) => found,
): ContextOutput {
  const { limit, offset } = input
  const result = order(searchElsewhere(reader, input, Math.max(offset + limit, FIRST_HITS) + 1))
  const meant = result.notes.did_you_mean
  // The words that were finally searched, if nothing matched as typed.
  const corrected = meant?.searched === true
  const page = result.ranked
    .slice(offset, offset + limit)
    .map(({ doc, same }) => ({ doc, same, text: textToQuote(reader, doc) }))
  const judged = (hits: typeof page) =>
    input.syntax === 'fts5' || result.notes.index !== undefined
      ? ({ quality: hits.length === 0 ? 'none' : 'good', matched: [], missing: [], best: 0, share: 1 } as const)
      : evidenceOf(reader, corrected ? meant.query : input.query, hits)
  const all = judged(page)
  const { quality } = all
  const shown = quality === 'weak' ? page.slice(0, all.share < HARDLY ? 1 : MAX_WEAK) : page
  // The words of hits that are left out are in nothing that the caller sees.
  const evidence = shown.length === page.length ? all : { ...judged(shown), quality }
  const budget = input.budget ?? Math.max(DEFAULT_BUDGET, limit * TOKENS_PER_HIT)
  const find = finderFor(result)
  const turns = input.actions ? new Set(shown.map(({ doc }) => `${doc.session_id} ${doc.turn_id}`)).size : 0
  const parts = Math.max(1, shown.length + turns)
  const share = Math.max(MIN_SHARE, Math.floor((budget * 4 - FRAME_CHARACTERS) / parts) - SOURCE_CHARACTERS)
  const hits = shown.map(({ doc, text, same = [] }) => {
    const { marks, ...lacks } = find(text)
    const item = packItem(doc, excerptOf(text, marks, share) || NO_TEXT)
    const why = describeMatch(lacks)
    return {
      ...item,
      label: why === '' ? item.label : `${item.label}, ${why}`,
      also: same,
      isBeside: lacks.beside === true,
    }
  })
  const items = input.actions ? withActions(reader, hits, share) : hits
  const more = result.ranked.length > offset + shown.length
  const nextOf = (included: number) => (more || included < shown.length ? offset + included : null)
  const toPaste = input.to_paste
  const noteFor = (quoted: number) => {
    const beside = hits.slice(0, quoted).filter(({ isBeside }) => isBeside).length
    return noteOf({ ...evidence, input, result, shown: quoted, beside, next: nextOf(quoted), corrected })
  }
  // These name what is recorded, and so do the words of a corrected query: a model gets them inside the fence.
  const notes = describeNotes(result.notes)
  const about = [...notes, ...(corrected ? [wordsFound(evidence)] : [])].join(' ')
  const named = withShortIds(reader, items)
  const packOf = (quoted: number) =>
    makePack(named.slice(0, endOf(named, quoted)), {
      budgetTokens: budget,
      title: input.title,
      note: toPaste ? undefined : noteFor(quoted),
      about: toPaste || about === '' ? [] : [about],
      namesTexts: !toPaste,
      further: shown.length - quoted,
      shortensFence: toPaste,
    })
  // Quotes the first hits, as many as fit in the budget, of which the note uses a part: the next page begins after them.
  let pack = packOf(shown.length)
  for (let counted = shown.length; pack.included + pack.folded < counted;) {
    counted = pack.included + pack.folded
    pack = packOf(counted)
  }
  const next_offset = shown.length === 0 ? null : nextOf(pack.included + pack.folded)
  const { matched, missing } = evidence
  // People can judge the hits themselves, and how to get more is advice for a model.
  const rated = quality === 'good' && pack.included + pack.folded > 0 ? [] : [noteFor(pack.included + pack.folded)]
  const said = toPaste ? firstCharacters([...rated, ...notes].join(' '), MAX_NOTE_CHARACTERS) : ''
  const note = said === '' ? {} : { note: said }
  return { ...pack, quality, matched: [...matched], missing: [...missing], next_offset, ...note }
}

/** Returns where the first `count` hits end, with what belongs to them. */
function endOf(items: readonly PackItem[], count: number): number {
  const hits = items.flatMap(({ isExtra }, at) => (isExtra === true ? [] : [at]))
  return hits[count] ?? items.length
}

interface NotedEvidence extends Evidence {
  readonly input: ContextInput
  readonly result: Pick<SearchResult, 'total' | 'isAbout' | 'partial' | 'filter'>
  readonly shown: number
  /** How many of those shown are only next to a match: these are not in the total. */
  readonly beside: number
  readonly next: number | null
  /** The words are not those of the query. */
  readonly corrected: boolean
}

/** Returns which words the hits have. */
function wordsFound({ matched, missing, best }: Evidence): string {
  const asked = matched.length + missing.length
  if (asked === 0) return ''
  const without = missing.length === 0 ? '' : `; in none: ${missing.join(', ')}`
  return `The best has ${best} of ${asked} ${asked === 1 ? 'word' : 'words'}; matched: ${matched.join(', ') || 'none'}${without}.`
}

/** Returns the line that rates the hits, which distinguishes "nothing good" from "found". */
function noteOf(found: NotedEvidence): string {
  const { quality, result, shown, beside, next } = found
  const { query, offset, project, since, session_id } = found.input
  const ways = [
    ...(project === undefined ? [] : ['project "all"']),
    ...(since === undefined ? [] : ['without since']),
    ...(session_id === undefined ? [] : ['without session_id']),
  ]
  const other = `${['Try other words', ...ways].join(', or ')}.`
  if (quality === 'none') {
    if (result.partial) return 'The search stopped early and found nothing yet. Ask again, or set since.'
    if (offset > 0) return `No more matches after ${offset}.`
    if (!/[\p{L}\p{N}]/u.test(query)) return 'The query has no word to search for.'
    return `${isLimited(result.filter) ? 'Nothing within these limits matches' : 'Nothing recorded matches'}. ${other}`
  }
  const words = found.corrected ? '' : wordsFound(found)
  const page = next === null ? '' : ` Next: offset ${next}.`
  const all = `${result.isAbout ? 'more than ' : ''}${result.total} ${result.total === 1 ? 'match' : 'matches'}`
  if (shown === 0) return `${all}, but the budget is too small for one: use a larger budget.`
  const open =
    quality === 'good'
      ? `${shown - beside} of ${all}${beside === 0 ? '' : `, ${beside} next to one`}, best first.`
      : `Nothing good: ${shown} weak ${shown === 1 ? 'match' : 'matches'}.`
  const advice = quality === 'good' ? `${page} aspy_get reads one in full by its id.` : ` ${other}`
  return `${open}${words === '' ? '' : ` ${words}`}${advice}`
}

export const recallContext: ReaderHandler<'recall.context'> = (reader, input) =>
  contextOf(reader, input, (found) => withMemoriesAndEpisodes(reader, input, found))
export const thinkingContext: ReaderHandler<'thinking.context'> = (reader, input) =>
  contextOf(reader, { ...input, thinking: true, prompts: false, responses: false, tools: false })
export const promptsContext: ReaderHandler<'prompts.context'> = (reader, input) =>
  contextOf(reader, { ...input, thinking: false, prompts: true, responses: false, tools: false })

/** Characters of a page: 8,000 tokens minus the fence. */
const PAGE_CHARACTERS = 8000 * 4 - 1200
const NEIGHBOUR_CHARACTERS = 600

export const recallGet: ReaderHandler<'recall.get'> = (reader, input) => {
  const row = requireEventRow(reader, input.uuid)
  const doc = docOfHit(reader, { uuid: row.uuid })
  if (doc === null) throw new AspyError('not_found', `there is no event ${input.uuid}`)
  const whole = harmless(wholeText(reader, doc, row))
  const pages = pagesOf(whole, PAGE_CHARACTERS - input.neighbours * 2 * (NEIGHBOUR_CHARACTERS + 200))
  const text = pages[input.page - 1]
  if (text === undefined) throw new AspyError('not_found', `${input.uuid} has only ${pages.length} pages`)
  const around = input.page === 1 && input.neighbours > 0 ? docsAround(reader, doc, input.neighbours) : [doc]
  const items = around.map((other) =>
    other.id === doc.id ? packItem(doc, text) : packItem(other, cutAt(textOf(reader, other), NEIGHBOUR_CHARACTERS)),
  )
  const note = pages.length > 1 ? `Page ${input.page} of ${pages.length}.` : undefined
  return {
    ...makePack(withShortIds(reader, items), { budgetTokens: 8000, note, foldsNearDuplicates: false }),
    page: input.page,
    pages: pages.length,
  }
}

/** Returns the whole text of an event: recall has only the beginning and the end of long tool traffic. */
function wholeText(reader: Reader, doc: RecallDocRow, row: EventRow): string {
  const text = textOf(reader, doc)
  if (text !== '' && !(doc.match_type === 'tool' && isShortened(text))) return text
  const { payload } = toEvent(reader, row)
  const output = 'output' in payload ? payload.output : undefined
  return typeof output === 'string' ? output : JSON.stringify(output ?? payload, null, 2)
}

function pagesOf(text: string, size: number): string[] {
  const pages: string[] = []
  for (let rest = text; rest !== '' || pages.length === 0;) {
    // Quoting adds two characters per line, and a page of many short lines must still fit.
    const page = cutAt(rest, Math.max(1000, Math.floor(size * 0.8)))
    pages.push(page)
    rest = rest.slice(Math.max(page.length, 1))
  }
  return pages
}

export const recallCaller: ReaderHandler<'recall.caller'> = (reader, { call_id }) =>
  callerOf(reader, call_id) ?? { session_id: null, project: null }
