import { naturalKey, type EventDraft } from './draft.ts'

/** What all drafts of one exchange, hook or line have in common. */
export type DraftBase = Pick<EventDraft, 'source' | 'session_id' | 'agent_id' | 'ts_wall' | 'ts_monotonic'> &
  Partial<Pick<EventDraft, 'account' | 'project' | 'request_id' | 'copied_from'>>

/** Two sources date a prompt differently by at most this much. */
export const PROMPT_WINDOW_MS = 10_000

/** Keys of a failed request's error: by the API's id of it; where there was none (no answer came), by its time. */
export function failureIdentity(
  requestId: string | null | undefined,
  keys: readonly string[],
): Pick<EventDraft, 'keys' | 'text_identity'> {
  if (requestId) return { keys: [...keys, naturalKey.failure(requestId)] }
  return { keys, text_identity: { text: 'failure without an answer', within_ms: PROMPT_WINDOW_MS } }
}

/** Wall clock (ms since 1970) as ISO 8601 UTC; an invalid time becomes 1970. */
export function isoTime(wallMs: number): string {
  const date = new Date(wallMs)
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString()
}

/**
 * Keys of what caused a block of a response, best first: the block before it (further ones too, since a transcript
 * leaves empty blocks out), then what the response answers.
 */
export function blockParents(messageId: string | null, index: number, tail: readonly string[]): readonly string[] {
  if (messageId === null) return tail
  const before: string[] = []
  for (let at = index - 1; at >= Math.max(0, index - 8); at -= 1) before.push(naturalKey.block(messageId, at))
  return [...before, ...tail]
}
