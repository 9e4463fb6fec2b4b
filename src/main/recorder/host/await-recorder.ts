import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Tap } from '../../proxy/tap.ts'
import type { RecorderHost } from './recorder-host.ts'

/**
 * Waits until the recorder is ready or has failed. Traffic captured before that is held only in memory, so the app reports
 * that it is up afterwards.
 */
export async function waitForRecorder(recorder: Pick<RecorderHost, 'health'>, deadlineMs: number): Promise<void> {
  const deadline = performance.now() + deadlineMs
  while (recorder.health().state === 'restarting' && performance.now() < deadline) await pause(5)
}

export interface DrainOptions {
  readonly tap: Pick<Tap, 'flush' | 'stats'>
  readonly recorder: Pick<RecorderHost, 'health'>
  readonly logger: Pick<Logger, 'warn'>
  /** null: nothing is waited for, since the data folder is removed. */
  readonly deadlineMs: number | null
}

/** Waits until the last captured traffic is recorded, even if the recorder has only just started. */
export async function drainTap({ tap, recorder, logger, deadlineMs }: DrainOptions): Promise<void> {
  if (deadlineMs === null) return
  const deadline = performance.now() + deadlineMs
  for (; tap.stats().queue_bytes > 0 && recorder.health().state !== 'failed'; await pause(10)) {
    tap.flush()
    if (performance.now() < deadline) continue
    logger.warn({ bytes: tap.stats().queue_bytes }, 'captured traffic could not be recorded before the app stopped')
    return
  }
}
