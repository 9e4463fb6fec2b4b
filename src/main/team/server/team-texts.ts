import { HIT_NAMES } from '../../../shared/hit-words.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput, ParsedInput } from '../../../shared/contract/index.ts'
import { characterStart, firstCharacters } from '../../../shared/cut-text.ts'
import { cutAt, makePack, type PackItem } from '../../recall/pack.ts'
import { excerptOf } from '../../recall/snippet.ts'
import { getEvent } from '../store/read/events.ts'
import { findTexts, type FoundText } from '../store/read/recall.ts'
import type { ReadContext, TeamHandler } from '../store/read/scope.ts'
import { listSessions, sessionHistory } from '../store/read/sessions.ts'
import { textsAround } from '../store/read/texts-around.ts'

/** Answers as one fenced text for a model, which names the member for each quotation. */

type ContextInput = ParsedInput<'recall.context'>
type ContextOutput = OperationOutput<'recall.context'>

/** Budget of an answer in tokens, and the minimum that each further hit adds to it. */
const DEFAULT_BUDGET = 1000
const TOKENS_PER_HIT = 100
/** Characters of an answer outside its hits, and those of a hit outside its text. */
const FRAME_CHARACTERS = 650
const SOURCE_CHARACTERS = 110
const MIN_SHARE = 80
/** Tokens of a page, and of a list of sessions. */
const PAGE_TOKENS = 8000
const LIST_TOKENS = 4000
const PAGE_CHARACTERS = 24_000
const NEIGHBOUR_CHARACTERS = 600
const ITEM_CHARACTERS = 1200

type TextRow = Pick<FoundText, 'kind' | 'member' | 'session_id' | 'turn_id' | 'uuid' | 'ts' | 'project'>

const itemOf = (row: TextRow, text: string): PackItem => ({
  label: `${HIT_NAMES[row.kind]} of ${row.member}`,
  member: row.member,
  session_id: row.session_id,
  turn_id: row.turn_id,
  uuid: row.uuid,
  timestamp: row.ts.toISOString(),
  project: row.project === '' ? null : row.project,
  text,
})

/** Returns the best hits as one text. Long hits are cut to the matching part: the hits share the budget. */
export async function recallContext(context: ReadContext, input: ContextInput): Promise<ContextOutput> {
  return contextOf(context, 'recall.context', input)
}
export const thinkingContext = (context: ReadContext, input: ContextInput): Promise<ContextOutput> =>
  contextOf(context, 'thinking.context', { ...input, thinking: true, prompts: false, responses: false })
export const promptsContext = (context: ReadContext, input: ContextInput): Promise<ContextOutput> =>
  contextOf(context, 'prompts.context', { ...input, thinking: false, prompts: true, responses: false })

async function contextOf(context: ReadContext, operation: string, input: ContextInput): Promise<ContextOutput> {
  const { limit, offset } = input
  const found = await findTexts(context, { ...input, limit: offset + limit })
  const shown = found.items.slice(offset)
  await context.note(operation, shown)
  const { words, marks: finder } = found.query
  const budget = input.budget ?? Math.max(DEFAULT_BUDGET, limit * TOKENS_PER_HIT)
  const share = Math.floor((budget * 4 - FRAME_CHARACTERS) / Math.max(1, shown.length)) - SOURCE_CHARACTERS
  const matched = new Set<string>()
  const items = shown.map((row) => {
    const marks = finder.find(row.content)
    for (const { word } of marks) matched.add(word)
    return itemOf(row, excerptOf(row.content, marks, Math.max(MIN_SHARE, share)))
  })
  const quality = shown.length === 0 ? 'none' : found.matchedBy === 'all' ? 'good' : 'weak'
  const pack = makePack(items, { budgetTokens: budget, note: noteOf(quality, shown.length, found.total) })
  return {
    ...pack,
    quality,
    matched: words.filter((word) => matched.has(word)),
    missing: words.filter((word) => !matched.has(word)),
    next_offset: found.next === null ? null : offset + limit,
  }
}

function noteOf(quality: ContextOutput['quality'], shown: number, total: number): string {
  if (quality === 'none') return "No matches in the team's history that you may read. Try fewer or other words."
  const which = `${shown} of ${total} ${total === 1 ? 'text' : 'texts'} of the team`
  return quality === 'good' ? `${which}, best first.` : `${which} with some of the words: no text has all of them.`
}

/** One text in full with its neighbours, in pages. */
export const recallGet: TeamHandler<'recall.get'> = async (context, input) => {
  const event = await getEvent(context, { uuid: input.uuid })
  const around = await textsAround(context, event, input.page === 1 ? input.neighbours : 0)
  await context.note('recall.get', around)
  const own = around.find(({ uuid }) => uuid === event.uuid)
  const whole = own?.content ?? JSON.stringify(event.payload, null, 2)
  const pages = Math.max(1, Math.ceil(whole.length / PAGE_CHARACTERS))
  const startOf = (page: number) => characterStart(whole, (page - 1) * PAGE_CHARACTERS)
  if (input.page > pages) throw new AspyError('not_found', `${input.uuid} has only ${pages} pages`)
  const text = whole.slice(startOf(input.page), startOf(input.page + 1))
  const self: PackItem = {
    label: `${event.kind.replaceAll('_', ' ')} of ${event.user_id ?? ''}`,
    session_id: event.session_id,
    turn_id: event.turn_id,
    uuid: event.uuid,
    timestamp: event.ts_wall,
    project: event.project,
    text,
  }
  const items = around.map((row) =>
    row === own ? { ...self, label: itemOf(row, '').label } : itemOf(row, cutAt(row.content, NEIGHBOUR_CHARACTERS)),
  )
  const pack = makePack(own === undefined ? [self, ...items] : items, {
    budgetTokens: PAGE_TOKENS,
    note: pages > 1 ? `Page ${input.page} of ${pages}.` : undefined,
    foldsNearDuplicates: false,
  })
  return { ...pack, page: input.page, pages }
}

/** The team's sessions as one text, newest first; with a session, its conversation. */
export const sessionsPast: TeamHandler<'sessions.past'> = async (context, input) => {
  const { session_id, limit, before, since, user_id, project } = input
  if (session_id !== undefined) return { text: await conversationText(context, { ...input, session_id }), sessions: [] }
  const listed = {
    limit,
    before,
    since,
    user_id,
    project,
    sort: 'last_activity',
  } as const
  const { items, next } = await listSessions(context, listed)
  const pack = makePack(
    items.map((session) => ({
      label: `${session.prompts} ${session.prompts === 1 ? 'prompt' : 'prompts'} of ${session.user_id ?? ''} · last event`,
      session_id: session.id,
      turn_id: session.turn_count,
      uuid: session.last_event_at.slice(0, 16),
      timestamp: session.started_at,
      project: session.project,
      text: session.title ?? '(no texts: policy metadata)',
    })),
    {
      budgetTokens: LIST_TOKENS,
      note: `${items.length} sessions of the team, newest first${next === null ? '' : '; more exist, use before'}.`,
      foldsNearDuplicates: false,
    },
  )
  const sessions = items.map((session) => ({
    session_id: session.id,
    project: session.project,
    title: session.title,
    started_at: session.started_at,
    last_event_at: session.last_event_at,
    prompts: session.prompts,
    summary: '',
  }))
  return { text: pack.text, sessions }
}

async function conversationText(
  context: ReadContext,
  { session_id, limit, before, since }: ParsedInput<'sessions.past'> & { readonly session_id: string },
): Promise<string> {
  const { items } = await sessionHistory(context, { session_id, limit, before, after: since, as_text: false })
  const newestFirst = items.toReversed().map(({ uuid, role, content, timestamp, turn_id }) => ({
    label: role === 'user' ? 'prompt' : 'answer',
    session_id,
    turn_id,
    uuid,
    timestamp,
    project: null,
    text: content.length > ITEM_CHARACTERS ? `${firstCharacters(content, ITEM_CHARACTERS)} …` : content,
  }))
  return makePack(newestFirst, {
    budgetTokens: LIST_TOKENS,
    note: "A session of the team's history, newest first.",
    foldsNearDuplicates: false,
  }).text
}
