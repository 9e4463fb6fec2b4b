import type { CacheCauseKind } from '../../shared/cache-causes.ts'

/** Our causes that the API's type covers. Others (`previous_message_not_found`) are not comparable. */
const AGREEING: Readonly<Record<string, readonly CacheCauseKind[]>> = {
  model_changed: ['model_changed'],
  system_changed: ['system_changed', 'speed_changed', 'compaction', 'resumed'],
  tools_changed: ['tools_changed'],
  messages_changed: ['messages_changed', 'compaction', 'resumed', 'lookback_exceeded', 'marks_changed'],
  unavailable: ['parameters_changed', 'betas_changed', 'speed_changed'],
}

/** Compares our cause with the API's type; null if they are not comparable. */
export function agrees(cause: CacheCauseKind, vendor: string): boolean | null {
  if (cause === 'unknown' || cause === 'first_request') return null
  return AGREEING[vendor]?.includes(cause) ?? null
}
