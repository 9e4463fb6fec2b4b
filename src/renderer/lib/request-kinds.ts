import type { RequestKind } from '../../shared/event.ts'

/** Names of request kinds: why a request was sent. */
export const REQUEST_KIND_LABELS: Readonly<Record<RequestKind, string>> = {
  infrastructure: 'Housekeeping',
  probe: 'Probe',
  warmup: 'Warm-up',
  subagent: 'Subagent',
  side_call: 'Side call',
  compaction: 'Compaction',
  loop: 'Tool results',
  prompt: 'Prompt',
}
