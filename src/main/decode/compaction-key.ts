import { createHash } from 'node:crypto'
import type { AnyDraft } from './draft.ts'

/**
 * Returns the key of a compaction, made from its summary and session. Nothing outside identifies a compaction; the store
 * numbers those of equal summaries. The wire repeats the summary in the next request, which may come an hour later. The client joins empty lines in its copies (2.1.332).
 */
export function compactionKey(sessionId: string, summary: string): string {
  const digest = createHash('sha256')
    .update(summary.replace(/\n{2,}/g, '\n\n'))
    .digest('hex')
    .slice(0, 32)
  return `compaction:${sessionId}:${digest}`
}

/** Returns the key that a fork's copy of this compaction would have in another session. */
export const compactionKeyIn = (sessionId: string, key: string): string =>
  `compaction:${sessionId}:${key.slice(key.lastIndexOf(':') + 1)}`

/** Returns the key of the command that began a compaction: a person may type the same words again. */
export const compactCommandKey = (compaction: string): string => `command:${compaction}`

/** Returns the key of the compaction that a command with these keys began; null for anything else. */
export const begunCompaction = (keys: readonly string[]): string | null =>
  keys.find((key) => key.startsWith('command:compaction:'))?.slice('command:'.length) ?? null

/** Returns the drafts behind a summary, of which the first prompt may be the `/compact` that began the compaction. */
export function asCompactCommand(drafts: readonly AnyDraft[], compaction: string | null): readonly AnyDraft[] {
  const at = drafts.findIndex(({ kind, payload }) => kind === 'user_prompt' && !('seen_in_history' in payload))
  const draft = drafts[at]
  if (compaction === null || draft?.kind !== 'user_prompt' || !/^\/compact\b/.test(draft.payload.text)) return drafts
  return drafts.with(at, { ...draft, keys: [...draft.keys, compactCommandKey(compaction)] })
}
