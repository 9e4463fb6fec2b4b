import type { RequestKind } from '../../shared/event.ts'

/** Why a request was sent, in a word or two. */
export const REQUEST_KIND_LABELS: Readonly<Record<RequestKind, string>> = {
  infrastructure: 'Housekeeping',
  probe: 'Probe',
  warmup: 'Warm-up',
  subagent: 'Subagent',
  side_call: 'Side call',
  compaction: 'Compaction',
  loop: 'After tools',
  prompt: 'Prompt',
}
