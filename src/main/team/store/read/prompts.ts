import type { OperationName, OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import { firstCharacters } from '../../../../shared/cut-text.ts'
import type { Listing } from '../../../listings/listing.ts'
import type { Condition } from '../../../listings/page-query.ts'
import { listPage } from './list-page.ts'
import { findTexts, toHit } from './recall.ts'
import { findSession, type ReadContext, type TeamHandler } from './scope.ts'

interface TextRow {
  readonly uuid: string
  readonly session_id: string
  readonly user_id: string | null
  readonly turn_id: number
  readonly timestamp: string
  readonly project: string | null
  readonly content: string
}

/** Texts, newest first. A laptop reads its own with its search. */
const NEWEST: Listing<TextRow, 'thinking.search'> = {
  from: 'texts t',
  owner: 't',
  where: '',
  columns: {
    uuid: 't.uuid',
    session_id: 't.session_id',
    user_id: '(SELECT m.name FROM members m WHERE m.id = t.member_id)',
    turn_id: 't.turn_id',
    timestamp: 't.ts',
    project: "nullif(t.project, '')",
    content: 't.content',
  },
  filters: {
    // Texts with words are searched.
    query: 'TRUE',
    session_id: 't.session_id = ?',
    project: 't.project = ?',
    since: 't.ts >= ?',
    until: 't.ts < ?',
  },
  sorts: {},
  key: [
    ['t.ts', 'time'],
    ['t.uuid', 'text'],
  ],
  order: 'DESC',
}

/** The prompts of a session by number. */
const PROMPTS: Listing<TextRow & { readonly number: number }, 'prompts.search'> = {
  ...NEWEST,
  from: `(SELECT t.*, row_number() OVER (PARTITION BY t.session_id, t.member_id ORDER BY t.ts, e.turn_id, e.seq, e.id)::int AS number
    FROM texts t JOIN events e ON e.uuid = t.uuid AND e.member_id = t.member_id AND e.month = t.month
    WHERE t.kind = 'user_prompt' AND e.is_prompt) t`,
  columns: { ...NEWEST.columns, number: 't.number' },
  key: [['t.number', 'number']],
  order: 'ASC',
}

const NO_RANK = { rank: 0, matched: [] }

/** The prompts of a session by number; with a query or without a session, as hits of a search. */
export const listPrompts: TeamHandler<'prompts.search'> = async (context, input) => {
  const { session_id, cursor, limit = 500 } = input
  if (session_id === undefined || input.query.trim() !== '')
    return searchKind(context, 'prompts.search', 'user_prompt', { ...input, limit: input.limit ?? 10 })
  const conditions: Condition[] = [['t.member_id = ?', (await findSession(context, session_id)).member_id]]
  const reading = { operation: 'prompts.search', conditions } as const
  const { items, next } = await listPage(context, PROMPTS, { session_id, cursor, limit }, reading)
  const toItem = ({ number, ...row }: (typeof items)[number]) => ({ ...row, ...NO_RANK, prompt_number: number })
  return { items: items.map((row) => ({ match_type: 'user_prompt', ...toItem(row) })), next }
}

type KindInput = ParsedInput<'thinking.search'>
type KindOutput = OperationOutput<'thinking.search'>
type TextKind = 'user_prompt' | 'thinking' | 'assistant_response'

export const searchThinking = (context: ReadContext, input: KindInput): Promise<KindOutput> =>
  searchKind(context, 'thinking.search', 'thinking', input)
export const searchResponses = (context: ReadContext, input: KindInput): Promise<KindOutput> =>
  searchKind(context, 'responses.search', 'assistant_response', input)

/** Searches texts of one kind. Without a query, returns the newest. */
async function searchKind(
  context: ReadContext,
  operation: OperationName,
  kind: TextKind,
  input: KindInput,
): Promise<KindOutput> {
  if (input.query.trim() !== '') {
    const kinds = {
      prompts: kind === 'user_prompt',
      thinking: kind === 'thinking',
      responses: kind === 'assistant_response',
    }
    const found = await findTexts(context, { ...input, ...kinds, tools: false })
    await context.note(operation, found.items)
    return { items: found.items.map((row) => toHit(row, found.query)), next: found.next }
  }
  const { items, next } = await listPage(context, NEWEST, input, { operation, conditions: [['t.kind = ?', kind]] })
  return {
    items: items.map((row) => ({ match_type: kind, ...row, ...NO_RANK, content: firstCharacters(row.content, 300) })),
    next,
  }
}
