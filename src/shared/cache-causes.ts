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
