import type { ParsedInput } from '../../../shared/contract/index.ts'
import { fromCursor } from '../../listings/cursor.ts'
import { CONVERSATION, type Spoken } from '../../listings/texts.ts'
import { listPage } from './list-page.ts'
import { toPage } from './page.ts'
import type { RecallDocRow } from './recall-docs.ts'
import type { Reader } from './reader.ts'

export interface PromptRow {
  readonly id: number
  readonly event_uuid: string
  readonly session_id: string
  readonly turn_id: number
  readonly prompt_number: number
  readonly content: string
  readonly timestamp: string
  readonly project: string | null
}

/** Returns all prompts of a session by number. */
export function promptsOfSession(
  reader: Reader,
  options: { session_id: string; limit: number; cursor?: string },
): { items: PromptRow[]; next: string | null } {
  const after = options.cursor === undefined ? Number.MIN_SAFE_INTEGER : fromCursor(options.cursor, ['number'])[0]
  const rows = reader.inTime<PromptRow>(
    `SELECT p.id, p.event_uuid, p.session_id, p.turn_id, p.prompt_number, p.content, p.timestamp, s.project
     FROM user_prompts p JOIN sessions s ON s.id = p.session_id
     WHERE p.session_id = ? AND p.prompt_number > ? ORDER BY p.prompt_number LIMIT ?`,
    options.session_id,
    after,
    options.limit + 1,
  )
  return toPage(
    rows,
    options.limit,
    (row) => [row.prompt_number],
    (row) => row,
  )
}

/** Returns a prompt's number in its session; 0 if it is not a prompt. */
export const promptNumberOf = (reader: Reader, id: number): number =>
  reader.get<{ n: number }>('SELECT prompt_number AS n FROM user_prompts WHERE id = ?', id)?.n ?? 0

/** Stops counting a prompt here. */
const MAX_ASKED = 10_000
const BLANKS = 'char(9, 10, 13, 32)'

/**
 * Counts the stored prompts with exactly this text, ignoring blanks at its ends. `match`: an FTS5 phrase from its
 * beginning.
 */
export function timesAsked(reader: Reader, content: string, match: string): number {
  const row = reader.get<{ n: number }>(
    `SELECT count(*) AS n FROM (
       SELECT 1 FROM prompts_fts CROSS JOIN user_prompts p ON p.id = prompts_fts.rowid
       WHERE prompts_fts MATCH ? AND aspy_in_time() AND trim(p.content, ${BLANKS}) = trim(?, ${BLANKS}) LIMIT ?)`,
    match,
    content,
    MAX_ASKED,
  )
  return row?.n ?? 1
}

/** Returns the tokens of a block, if known. */
export function tokensOf(reader: Reader, doc: RecallDocRow): number | null {
  if (doc.match_type === 'thinking') {
    return (
      reader.get<{ tokens: number | null }>('SELECT tokens FROM thinking_blocks WHERE id = ?', doc.id)?.tokens ?? null
    )
  }
  if (doc.match_type === 'assistant_response') {
    return (
      reader.get<{ tokens: number | null }>('SELECT tokens FROM assistant_responses WHERE id = ?', doc.id)?.tokens ??
      null
    )
  }
  return null
}

type ConversationInput = Omit<ParsedInput<'sessions.history'>, 'as_text'>

/** Returns the conversation of a session: prompts and the main agent's answers, newest first. */
export const conversation = (reader: Reader, input: ConversationInput): { items: Spoken[]; next: string | null } =>
  listPage(reader, CONVERSATION, input, () => (row) => row)
