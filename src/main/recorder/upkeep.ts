import { AspyError, toErrorAnswer } from '../../shared/contract/errors.ts'
import type { SessionLog } from '../sinks/session-log.ts'
import type { Store } from '../store/store.ts'
import { createSlowLane } from './slow-lane.ts'
import type { Steps } from './slow-lane.ts'

/** What the recorder does to the store besides recording: deleting, rebuilding, and tidying up when nothing else is to do. */
export interface Upkeep {
  /** Null: no operation of this name is upkeep. */
  run(name: string, input: unknown, onProgress: (progress: unknown) => void): Promise<unknown> | null
  /** Nothing was recorded for a while, or the store has just been opened. */
  idle(): void
  stop(): void
}

export interface UpkeepOptions {
  /** Throws `store_unavailable`. */
  store(): Store
  liveFirst(): void
  readonly sessionLog: SessionLog | null
  /** What was read of the log may be gone. */
  forget(): void
  readonly logger: { warn(object: object, message: string): void }
}

export function createUpkeep({ store, liveFirst, sessionLog, forget, logger }: UpkeepOptions): Upkeep {
  const lane = createSlowLane({ liveFirst })

  function* finishScrub(): Steps<void> {
    const pauses = store().scrub()
    if (pauses === null) return
    try {
      for (;;) {
        // Closed in between, it must not be written to any more.
        store()
        const { done, value } = pauses.next()
        if (done) return
        yield { pauseMs: value }
      }
    } finally {
      pauses.return()
    }
  }

  function* deleteSession(sessionId: string): Steps<object> {
    const rows = store().deleteSession(sessionId)
    sessionLog?.remove(sessionId)
    forget()
    yield* finishScrub()
    return { session_id: sessionId, ...rows }
  }

  return {
    run(name, input, onProgress) {
      switch (name) {
        case 'sessions.delete':
          return lane.run(() => deleteSession((input as { session_id: string }).session_id), onProgress)
        default:
          return null
      }
    },
    idle() {
      if (lane.isBusy()) return
      lane.run(finishScrub).catch((error: unknown) => {
        if (error instanceof AspyError && (error.code === 'store_unavailable' || error.code === 'cancelled')) return
        logger.warn({ message: toErrorAnswer(error).message }, 'what was deleted could not be cleared away yet')
      })
    },
    stop: () => lane.stop(),
  }
}
