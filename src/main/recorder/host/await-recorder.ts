import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Tap } from '../../proxy/tap.ts'
import type { Recorder } from './recorder-host.ts'

/**
 * Waits until the recorder is there, or has failed. What passes before is only in memory: who is told that the app is up may
 * count on the record.
 */
export async function recorderBegun(recorder: Pick<Recorder, 'health'>, deadlineMs: number): Promise<void> {
  const deadline = performance.now() + deadlineMs
  while (recorder.health().state === 'restarting' && performance.now() < deadline) await pause(5)
}

export interface DrainOptions {
  readonly tap: Pick<Tap, 'flush' | 'stats'>
  readonly recorder: Pick<Recorder, 'health'>
  readonly logger: Pick<Logger, 'warn'>
  readonly deadlineMs: number
}

/** Waits until what was captured last is recorded, also where the recorder has only just started. */
export async function drainTap({ tap, recorder, logger, deadlineMs }: DrainOptions): Promise<void> {
  const deadline = performance.now() + deadlineMs
  for (; tap.stats().queue_bytes > 0 && recorder.health().state !== 'failed'; await pause(10)) {
    tap.flush()
    if (performance.now() < deadline) continue
    logger.warn({ bytes: tap.stats().queue_bytes }, 'captured traffic could not be recorded before the end')
    return
  }
}
