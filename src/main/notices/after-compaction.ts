import { counted } from '../../shared/counted.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'

/** Maximum length in characters; the notice takes space in the context of every compacted session. */
const MOST = 600

/**
 * Returns a notice for the model of a session that continues after a compaction: the recorded part of the dropped
 * conversation, and how to read it. Returns null if nothing was dropped or nothing is recorded.
 */
export function afterCompaction(
  { session_id, start }: { readonly session_id: string; readonly start: string },
  kept: OperationOutput<'sessions.kept'>,
): string | null {
  const wasCompacted = start === 'compact' || (start === 'resume' && kept.compactions > 0)
  if (!wasCompacted || kept.prompts + kept.answers === 0) return null
  const parts = [
    some(kept.prompts, 'prompt'),
    some(kept.answers, 'answer'),
    some(kept.thinking_blocks, 'thought'),
  ].filter((part) => part !== null)
  const since = kept.started_at === null ? '' : ` since ${kept.started_at.slice(0, 10)}`
  // The session ID comes from outside, so only characters of IDs may reach the model's context.
  const id = session_id.replaceAll(/[^\w.:-]/g, '').slice(0, 100)
  return [
    `This session was compacted. Aspy has the earlier conversation word for word: ${parts.join(', ')}${since}.`,
    `If an earlier decision, reason, name, error or wording matters and is not in the summary, call the tool`,
    `aspy_recall_context with a few distinctive words instead of guessing or asking again;`,
    `aspy_get reads a hit in full, aspy_session_history with session_id "${id}" pages through this session.`,
  ]
    .join(' ')
    .slice(0, MOST)
}

const some = (n: number, noun: string): string | null => (n === 0 ? null : counted(n, noun))
