import type { OperationOutput } from '../../shared/contract/index.ts'

/** Longest pointer, in characters: it stands in the context of every session that was compacted. */
const MOST = 600

/**
 * What a model is told when its session goes on after a compaction: how much of what it no longer sees is kept, and how
 * to reach it. null where nothing was dropped, or nothing is kept.
 */
export function afterCompaction(
  { session_id, start }: { readonly session_id: string; readonly start: string },
  kept: OperationOutput<'sessions.kept'>,
): string | null {
  const wasCompacted = start === 'compact' || (start === 'resume' && kept.compactions > 0)
  if (!wasCompacted || kept.prompts + kept.answers === 0) return null
  const parts = [
    counted(kept.prompts, 'prompt'),
    counted(kept.answers, 'answer'),
    counted(kept.thinking_blocks, 'thought'),
  ].filter((part) => part !== null)
  const since = kept.started_at === null ? '' : ` since ${kept.started_at.slice(0, 10)}`
  // A session id comes from outside: nothing but what ids are made of may stand in a model's context.
  const id = session_id.replaceAll(/[^\w.:-]/g, '').slice(0, 100)
  return [
    `This session was compacted; Aspy keeps what was said before word for word: ${parts.join(', ')}${since}.`,
    `When an earlier decision, reason, name, error or wording matters and the summary does not hold it, call the tool`,
    `aspy_recall_context with a few telling words instead of guessing or asking again;`,
    `aspy_get reads a hit in full, aspy_session_history with session_id "${id}" pages through this session.`,
  ]
    .join(' ')
    .slice(0, MOST)
}

function counted(n: number, noun: string): string | null {
  return n === 0 ? null : `${n.toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`
}
