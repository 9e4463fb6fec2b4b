import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import { cursorOf, offsetOf } from './pages.ts'
import { findSession, unsupported, type Owned, type ReadContext } from './scope.ts'

interface PromptRow extends Owned {
  readonly uuid: string
  readonly turn_id: number
  readonly ts: Date
  readonly project: string
  readonly content: string
}

/** The prompts of a session, by number. Words are searched with `recall.search`. */
export async function listPrompts(
  context: ReadContext,
  input: ParsedInput<'prompts.search'>,
): Promise<OperationOutput<'prompts.search'>> {
  const { sql } = context
  if (input.session_id === undefined || input.query.trim() !== '')
    throw unsupported('prompts of all sessions; search them with recall.search')
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
