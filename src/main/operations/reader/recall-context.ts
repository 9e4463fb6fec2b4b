import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput, ParsedInput } from '../../../shared/contract/index.ts'
import { describeNotes } from '../../../shared/recall-notes.ts'
import { createMarkFinder } from '../../recall/marks.ts'
import { cutAt, harmless, makePack, type PackItem } from '../../recall/pack.ts'
import type { SearchResult } from '../../recall/search.ts'
import { excerptOf } from '../../recall/snippet.ts'
import { requireEventRow, toEvent } from '../../store/read/events.ts'
import { rememberedUuids } from '../../store/read/people.ts'
import { docByUuid, docsAround, docsOfTurn, type RecallDocRow, textOf } from '../../store/read/recall-docs.ts'
import type { Reader } from '../../store/read/reader.ts'
import { turnUnderWay } from '../../store/read/sessions.ts'
import { callerOf } from '../../store/read/tools.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { runSearch, toNotes } from './recall.ts'
import { withRememberedFirst } from './remembered-first.ts'
import { withEpisodes } from './with-episodes.ts'

const LABELS: { readonly [Type in RecallDocRow['match_type']]: string } = {
  user_prompt: 'user prompt',
  thinking: 'thinking',
  assistant_response: 'answer',
  compaction: 'compaction summary',
  episode: 'what a session came to',
  tool: 'tool traffic',
  memory: 'remembered fact',
}

function packItem(doc: RecallDocRow, text: string): PackItem {
  const { session_id, turn_id, event_uuid: uuid, timestamp, project } = doc
  return { label: LABELS[doc.match_type], session_id, turn_id, uuid, timestamp, project, text }
}

export const recallPack: ReaderHandler<'recall.pack'> = (reader, input) => {
  if (input.uuids.length === 0 && input.turns.length === 0) {
    throw new AspyError('bad_input', 'name at least one hit in uuids, or a turn in turns')
  }
  const docs = new Map<number, RecallDocRow>()
  for (const uuid of input.uuids) {
    const doc = docByUuid(reader, uuid)
    if (doc === undefined) throw new AspyError('not_found', `there is no event ${uuid}`)
    docs.set(doc.id, doc)
  }
  for (const { session_id: sessionId, turn_id: turnId } of input.turns) {
    for (const doc of docsOfTurn(reader, sessionId, turnId)) docs.set(doc.id, doc)
  }
  return makePack(
    [...docs.values()].map((doc) => packItem(doc, textOf(reader, doc))),
    input.budget,
  )
}

type ContextInput = ParsedInput<'recall.context'>
type ContextOutput = OperationOutput<'recall.context'>

/** Bounds the notes of an answer, which are part of its budget. */
const MAX_NOTE_CHARACTERS = 800
/** Extra hits to read, because those of the current turn are dropped. */
const EXTRA_HITS = 10

/** Drops hits in the caller's current turn: it has just said these words, so they would rank first and help nothing. */
function withoutCurrentTurn(reader: Reader, found: SearchResult, session: string | undefined): SearchResult {
  const turn = session === undefined ? null : turnUnderWay(reader, session)
  if (turn === null) return found
  const ranked = found.ranked.filter(({ doc }) => doc.session_id !== session || doc.turn_id !== turn)
  return { ...found, ranked, total: found.total - (found.ranked.length - ranked.length) }
}

/** Returns the best hits as one text. Of a long hit only the matching part, so that it cannot use up the budget. */
function contextOf(
  reader: Reader,
  input: ContextInput,
  order: (found: SearchResult) => SearchResult = (found) => found,
): ContextOutput {
  const found = runSearch(reader, input, input.offset + input.limit + (input.asked_in === undefined ? 0 : EXTRA_HITS))
  const result = order(withoutCurrentTurn(reader, found, input.asked_in))
  const finder = createMarkFinder(result.words, null, result.forms)
  const shown = result.ranked.slice(input.offset, input.offset + input.limit)
  const share = Math.max(200, Math.floor((input.budget * 4 - 500) / Math.max(1, Math.min(shown.length, 5))) - 180)
  const items = shown.map(({ doc }) => {
    const text = textOf(reader, doc)
    return packItem(doc, excerptOf(text, finder.find(text), share))
  })
  const note =
    items.length === 0
      ? `Nothing recorded matches. Try other words, or project "all".`
      : `${items.length} of ${result.total} matches, best first; aspy_get reads one in full by its uuid.`
  const notes = describeNotes(toNotes(result.notes).notes)
  return makePack(items, input.budget, [note, ...notes].join(' ').slice(0, MAX_NOTE_CHARACTERS))
}

export const recallContext: ReaderHandler<'recall.context'> = (reader, input) =>
  contextOf(reader, input, (found) =>
    withRememberedFirst(reader, input, withEpisodes(reader, input, found), rememberedUuids(reader)),
  )
export const thinkingContext: ReaderHandler<'thinking.context'> = (reader, input) =>
  contextOf(reader, { ...input, thinking: true, prompts: false, responses: false, tools: false })
export const promptsContext: ReaderHandler<'prompts.context'> = (reader, input) =>
  contextOf(reader, { ...input, thinking: false, prompts: true, responses: false, tools: false })

/** Characters of a page: 8,000 tokens minus the fence. */
const PAGE_CHARACTERS = 8000 * 4 - 1200
const NEIGHBOUR_CHARACTERS = 600

export const recallGet: ReaderHandler<'recall.get'> = (reader, input) => {
  const row = requireEventRow(reader, input.uuid)
  const doc = docByUuid(reader, input.uuid)
  const stored = doc === undefined ? '' : textOf(reader, doc)
  const whole = harmless(stored === '' ? JSON.stringify(toEvent(reader, row).payload, null, 2) : stored)
  const pages = pagesOf(whole, PAGE_CHARACTERS - input.neighbours * 2 * (NEIGHBOUR_CHARACTERS + 200))
  const text = pages[input.page - 1]
  if (doc === undefined || text === undefined) {
    throw new AspyError('not_found', `${input.uuid} has only ${pages.length} pages`)
  }
  const around = input.page === 1 && input.neighbours > 0 ? docsAround(reader, doc, input.neighbours) : [doc]
  const items = around.map((other) =>
    other.id === doc.id ? packItem(doc, text) : packItem(other, cutAt(textOf(reader, other), NEIGHBOUR_CHARACTERS)),
  )
  const note = pages.length > 1 ? `Page ${input.page} of ${pages.length}.` : undefined
  return { ...makePack(items, 8000, note), page: input.page, pages: pages.length }
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
