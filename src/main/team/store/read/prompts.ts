import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import { cursorOf, offsetOf } from './pages.ts'
import { findTexts, toHit, wordsOf } from './recall.ts'
import { findSession, visible, type Owned, type ReadContext } from './scope.ts'

interface PromptRow extends Owned {
  readonly uuid: string
  readonly turn_id: number
  readonly ts: Date
  readonly project: string
  readonly content: string
}

/** The prompts of a session by number; with words or without a session, as hits of a search. */
export async function listPrompts(
  context: ReadContext,
  input: ParsedInput<'prompts.search'>,
): Promise<OperationOutput<'prompts.search'>> {
  const { sql } = context
  if (input.session_id === undefined || input.query.trim() !== '')
    return searchKind(context, 'prompts.search', 'user_prompt', { ...input, limit: input.limit ?? 10 })
  const found = await findSession(context, input.session_id)
  const limit = input.limit ?? 500
  const offset = offsetOf(input.cursor)
  const rows = await sql<
    PromptRow[]
  >`SELECT t.uuid, t.member_id, t.session_id, t.turn_id, t.ts, t.project, t.content FROM texts t
      JOIN events e ON e.uuid = t.uuid AND e.member_id = t.member_id AND e.month = t.month
    WHERE t.session_id = ${input.session_id} AND t.member_id = ${found.member_id} AND t.kind = 'user_prompt' AND e.is_prompt
    ORDER BY t.ts, e.turn_id, e.seq LIMIT ${limit + 1} OFFSET ${offset}`
  const shown = rows.slice(0, limit)
  await context.note('prompts.search', shown)
  const items = shown.map((row, at) => ({
    match_type: 'user_prompt' as const,
    session_id: row.session_id,
    turn_id: row.turn_id,
    timestamp: row.ts.toISOString(),
    content: row.content,
    rank: 0,
    uuid: row.uuid,
    project: row.project === '' ? null : row.project,
    matched: [],
    prompt_number: offset + at + 1,
  }))
  return { items, next: cursorOf(rows.length > limit, offset + limit) }
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
  operation: string,
  kind: TextKind,
  input: KindInput,
): Promise<KindOutput> {
  const { sql } = context
  const { limit } = input
  const offset = offsetOf(input.cursor)
  if (input.query.trim() !== '') {
    const kinds = {
      prompts: kind === 'user_prompt',
      thinking: kind === 'thinking',
      responses: kind === 'assistant_response',
    }
    const found = await findTexts(context, { ...input, ...kinds, tools: false, offset })
    const shown = found.items.slice(0, limit)
    await context.note(operation, shown)
    return {
      items: shown.map((row) => toHit(row, wordsOf(input.query))),
      next: cursorOf(found.items.length > limit, offset + limit),
    }
  }
  const rows = await sql<PromptRow[]>`SELECT t.uuid, t.member_id, t.session_id, t.turn_id, t.ts, t.project, t.content
    FROM texts t WHERE t.kind = ${kind} AND ${visible(context, 't')}
      AND ${input.session_id === undefined ? sql`TRUE` : sql`t.session_id = ${input.session_id}`}
      AND ${input.project === undefined ? sql`TRUE` : sql`t.project = ${input.project}`}
      AND ${input.since === undefined ? sql`TRUE` : sql`t.ts >= ${input.since}`}
      AND ${input.until === undefined ? sql`TRUE` : sql`t.ts <= ${input.until}`}
    ORDER BY t.ts DESC, t.uuid LIMIT ${limit + 1} OFFSET ${offset}`
  const shown = rows.slice(0, limit)
  await context.note(operation, shown)
  const items = shown.map((row) => ({
    match_type: kind,
    session_id: row.session_id,
    turn_id: row.turn_id,
    timestamp: row.ts.toISOString(),
    content: row.content.slice(0, 300),
    rank: 0,
    uuid: row.uuid,
    project: row.project === '' ? null : row.project,
    matched: [],
  }))
  return { items, next: cursorOf(rows.length > limit, offset + limit) }
}
