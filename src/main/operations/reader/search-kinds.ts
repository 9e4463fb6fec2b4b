import { HIT_NAMES } from '../../../shared/hit-words.ts'
import type { OperationOutput, ParsedInput } from '../../../shared/contract/index.ts'
import { inBudget } from '../../store/read/budget.ts'
import { matchBeginning } from '../../recall/match-words.ts'
import { type DocType, textOf } from '../../store/read/recall-docs.ts'
import type { Reader } from '../../store/read/reader.ts'
import { createTitles } from '../../store/read/session-titles.ts'
import { promptNumberOf, promptsOfSession, timesAsked, tokensOf } from '../../store/read/texts.ts'
import { given } from './given.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { hitMaker, offsetOf, pageOf, runSearch } from './recall.ts'

type KindInput = ParsedInput<'thinking.search'>
type KindOutput = OperationOutput<'thinking.search'>

/** Searches one kind. Without a query, returns the newest. */
function searchKind(type: DocType): (reader: Reader, input: KindInput) => KindOutput {
  return (reader, input) => {
    const offset = offsetOf(input.cursor)
    const most = offset + input.limit + 1
    const flags = {
      prompts: type === 'user_prompt',
      thinking: type === 'thinking',
      responses: type === 'assistant_response',
    }
    const asked = input.query.trim() === '' ? { query: `kind:${HIT_NAMES[type]}`, order: 'time' as const } : {}
    const result = runSearch(reader, { ...input, ...flags, tools: false, ...asked }, most)
    const toHit = hitMaker(reader, result)
    const titleOf = createTitles(reader)
    return pageOf(result, offset, input.limit, (ranked) => ({
      ...toHit(ranked),
      ...titleOf(ranked.doc.session_id),
      tokens: tokensOf(reader, ranked.doc),
      ...(type === 'user_prompt'
        ? { prompt_number: promptNumberOf(reader, ranked.doc.id), ...askedOf(reader, textOf(reader, ranked.doc)) }
        : {}),
    }))
  }
}

/** Counts how often exactly this prompt was asked; undefined if time is up or the text has no words. */
function askedOf(reader: Reader, text: string): { asked?: number } {
  const match = matchBeginning(text)
  const asked = match === null || reader.budget.over ? null : inBudget(() => timesAsked(reader, text, match))
  return asked === null ? {} : { asked: Math.max(1, asked) }
}

export const searchThinking: ReaderHandler<'thinking.search'> = searchKind('thinking')
export const searchResponses: ReaderHandler<'responses.search'> = searchKind('assistant_response')

const searchPromptKind = searchKind('user_prompt')
/** Default limits: for hits of a search for prompts, and for prompts of a session, where one answer may have all. */
const PROMPT_HITS = 10
const PROMPTS_OF_SESSION = 10_000

export const searchPrompts: ReaderHandler<'prompts.search'> = (reader, input) => {
  if (input.query.trim() !== '' || input.session_id === undefined)
    return searchPromptKind(reader, { ...input, limit: input.limit ?? PROMPT_HITS })
  const limit = input.limit ?? PROMPTS_OF_SESSION
  const { items, next } = promptsOfSession(reader, given({ ...input, limit, session_id: input.session_id }))
  return {
    items: items.map((row) => ({
      match_type: 'user_prompt' as const,
      session_id: row.session_id,
      turn_id: row.turn_id,
      timestamp: row.timestamp,
      content: row.content,
      rank: 0,
      uuid: row.event_uuid,
      project: row.project,
      matched: [],
      prompt_number: row.prompt_number,
      ...askedOf(reader, row.content),
    })),
    next,
  }
}
