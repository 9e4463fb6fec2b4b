import { fromCursor } from '../../listings/cursor.ts'
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
export function promptNumberOf(reader: Reader, id: number): number {
  return reader.get<{ n: number }>('SELECT prompt_number AS n FROM user_prompts WHERE id = ?', id)?.n ?? 0
}

/** Stops counting a prompt here. */
const MAX_ASKED = 10_000
const BLANKS = 'char(9, 10, 13, 32)'

/** Counts the stored prompts with exactly this text, blanks at its ends aside. `match`: an FTS5 phrase from its beginning. */
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

export interface Spoken {
  readonly id: number
  readonly uuid: string
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly timestamp: string
  readonly turn_id: number
}

/** Returns the conversation of a session: prompts and the main agent's answers, newest first. */
export function conversation(
  reader: Reader,
  options: { session_id: string; limit: number; before?: string; after?: string; cursor?: string },
): { items: Spoken[]; next: string | null } {
  const below = options.cursor === undefined ? Number.MAX_SAFE_INTEGER : fromCursor(options.cursor, ['number'])[0]
  const rows = reader.inTime<Spoken>(
    `SELECT d.id, (SELECT e.uuid FROM events e WHERE e.id = d.id) AS uuid, CASE d.match_type WHEN 'user_prompt' THEN 'user' ELSE 'assistant' END AS role,
       coalesce(CASE d.match_type WHEN 'user_prompt' THEN (SELECT p.content FROM user_prompts p WHERE p.id = d.id)
         ELSE (SELECT r.content FROM assistant_responses r WHERE r.id = d.id) END, '') AS content, d.timestamp, d.turn_id
     FROM recall_docs d
     WHERE d.session_id = ? AND d.agent_id IS NULL AND d.match_type IN ('user_prompt', 'assistant_response') AND d.id < ?
       AND d.timestamp < ? AND d.timestamp > ?
     ORDER BY d.id DESC LIMIT ?`,
    options.session_id,
    below,
    options.before ?? '9999',
    options.after ?? '',
    options.limit + 1,
  )
  return toPage(
    rows,
    options.limit,
    (row) => [row.id],
    (row) => row,
  )
}
