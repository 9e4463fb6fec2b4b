import { naturalKey, type EventDraft } from './draft.ts'

/** The fields shared by all drafts of one exchange, hook or line. */
export type DraftBase = Pick<EventDraft, 'source' | 'session_id' | 'agent_id' | 'ts_wall' | 'ts_monotonic'> &
  Partial<Pick<EventDraft, 'account' | 'project' | 'request_id' | 'copied_from' | 'answer'>>

/** Two sources may date the same prompt this far apart. */
export const PROMPT_WINDOW_MS = 10_000

/**
 * Returns what identifies a failed request's error: the API's id for it, and its time, since there may be no answer, or
 * the source may omit the id (as the client's line about a cut stream sometimes does).
 */
export function failureIdentity(
  requestId: string | null | undefined,
  keys: readonly string[],
): Pick<EventDraft, 'keys' | 'text_identity'> {
  return {
    keys: requestId ? [...keys, naturalKey.failure(requestId)] : keys,
    text_identity: { text: 'failure of a request', within_ms: PROMPT_WINDOW_MS },
  }
}

/** Wall clock (ms since 1970) as ISO 8601 UTC; an invalid time becomes 1970. */
export function isoTime(wallMs: number): string {
  const date = new Date(wallMs)
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString()
}

/**
 * Returns keys of the parent of a response's block, best first: the blocks before it (several, since a transcript omits
 * empty blocks), then the item that the response answers.
 */
export function blockParents(messageId: string | null, index: number, tail: readonly string[]): readonly string[] {
  if (messageId === null) return tail
  const before: string[] = []
  for (let at = index - 1; at >= Math.max(0, index - 8); at -= 1) before.push(naturalKey.block(messageId, at))
  return [...before, ...tail]
}
