import type { Health } from '../../shared/contract/health.ts'

/** `warned`: recording, with warnings; `off`: disabled in the settings. */
export type Recording = 'on' | 'warned' | 'failed' | 'off'

export function recordingOf({ recorder, status }: Pick<Health, 'recorder' | 'status'>): Recording {
  if (recorder === 'off' || recorder === 'failed') return recorder
  return status === 'ok' ? 'on' : 'warned'
}
