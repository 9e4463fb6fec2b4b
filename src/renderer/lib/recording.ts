import type { Health } from '../../shared/contract/health.ts'

/** Whether what passes is recorded now: with something that needs a look, not at all, or not because nobody wants it. */
export type Recording = 'on' | 'warned' | 'failed' | 'off'

export function recordingOf({ recorder, status }: Pick<Health, 'recorder' | 'status'>): Recording {
  if (recorder === 'off' || recorder === 'failed') return recorder
  return status === 'ok' ? 'on' : 'warned'
}
