/** Reasons why a request did not read everything that it could from the prompt cache. More may be added. */
export const CACHE_CAUSES = [
  'first_request',
  'ttl_expired',
  'model_changed',
  'speed_changed',
  'betas_changed',
  'marks_changed',
  'parameters_changed',
  'tools_changed',
  'system_changed',
  'messages_changed',
  'resumed',
  'lookback_exceeded',
  'below_minimum',
  'compaction',
  'provider',
  'unknown',
] as const
export type CacheCauseKind = (typeof CACHE_CAUSES)[number]

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

/** Returns the name of a cause. A newer server may name causes that this one does not know. */
export function causeLabel(kind: string): string {
  const labels: Readonly<Record<string, string>> = CAUSE_LABELS
  return labels[kind] ?? kind.replaceAll('_', ' ')
}

export interface CacheCause {
  readonly kind: CacheCauseKind
  /** The place in the request that decided it, such as `tools`, `system[2]` or `messages[3].content[0]`. */
  readonly where: string | null
  /** The change there; for `unknown`, the missing information. */
  readonly detail: string | null
}

/** Describes a cause in one line: its position in the request and the change there. Empty if nothing more is known. */
export function causeNote({
  where,
  detail,
}: {
  readonly where: string | null
  readonly detail: string | null
}): string {
  return [where, detail].filter((text) => text !== null && text !== '').join(': ')
}
