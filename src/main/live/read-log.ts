import type { Logger } from 'pino'
import type { OperationInput, OperationOutput } from '../../shared/contract/index.ts'
import type { LiveHubOptions } from './hub.ts'

type LiveRead = 'live.since' | 'live.turns'

export interface ReadLogOptions {
  /** Runs a reading operation. */
  readonly call: <Name extends LiveRead>(name: Name, input: OperationInput<Name>) => Promise<OperationOutput<Name>>
  readonly isRecordingOn: boolean
  readonly logger: Pick<Logger, 'warn'>
}

/**
 * Reads events from the log that the feed no longer has. If recording is off, there is no log, and ids start again with
 * each run.
 */
export function readLog({
  call,
  isRecordingOn,
  logger,
}: ReadLogOptions): Pick<LiveHubOptions, 'backfill' | 'runningTurns'> {
  return {
    async backfill({ session_id, kinds }, after, upTo) {
      if (!isRecordingOn) return { events: [], more: 0 }
      return await call('live.since', { after, up_to: upTo ?? undefined, session_id, kinds: kinds && [...kinds] })
    },
    async runningTurns(session_id) {
      if (!isRecordingOn) return null
      try {
        return await call('live.turns', { session_id })
      } catch (error) {
        logger.warn({ err: error }, 'the live feed starts without the running turns')
        return null
      }
    },
  }
}
