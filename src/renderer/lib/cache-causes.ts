import type { CacheCauseKind } from '../../shared/cache-causes.ts'

/** Names of the causes of cache misses. */
export const CAUSE_LABELS: Readonly<Record<CacheCauseKind, string>> = {
  first_request: 'First request',
  ttl_expired: 'Expired',
  model_changed: 'Model changed',
  speed_changed: 'Fast mode changed',
  betas_changed: 'Beta header changed',
  marks_changed: 'Cache breakpoints moved',
  parameters_changed: 'Thinking, effort or output settings changed',
  tools_changed: 'Tools changed',
  system_changed: 'System prompt changed',
  messages_changed: 'Messages changed',
  resumed: 'Resumed or forked',
  lookback_exceeded: 'Too many blocks since the last breakpoint',
  below_minimum: 'Below the model’s minimum',
  compaction: 'After a compaction',
  provider: 'Not read, though nothing changed',
  unknown: 'Unknown',
}

/** Returns the name of a cause. A newer server may name causes that this window does not know. */
export function causeLabel(kind: string): string {
  const labels: Readonly<Record<string, string>> = CAUSE_LABELS
  return labels[kind] ?? kind.replaceAll('_', ' ')
}
