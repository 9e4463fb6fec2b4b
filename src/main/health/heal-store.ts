import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AspyError, toErrorAnswer } from '../../shared/contract/errors.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'

export interface HealStoreOptions {
  check(): Promise<OperationOutput<'store.check'>>
  /** Rebuilds derived tables from the event log, full-text indexes included. */
  rebuild(): Promise<unknown>
  /** Moves the damaged database away and creates a new one. */
  setAside(reason: string): Promise<unknown>
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
}

const TRIES = 120
const PAUSE_MS = 500

/** Retries until the recorder is ready: it starts in parallel, and may have to update the database or restore a spool. */
async function whenReady<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work()
    } catch (error) {
      if (tries === TRIES || !(error instanceof AspyError) || error.code !== 'store_unavailable') throw error
    }
    await pause(PAUSE_MS, undefined, { ref: false })
  }
}

/** Checks the database after an unclean stop, while the app is serving, and repairs what it can. */
export async function healStore({ check, rebuild, setAside, logger }: HealStoreOptions): Promise<void> {
  try {
    const { damage, full_text } = await whenReady(check)
    const [first] = damage
    if (first !== undefined) {
      logger.error({ damage }, 'the database is damaged; moving it away')
      await whenReady(() => setAside(first))
    } else if (full_text.length > 0) {
      logger.warn({ full_text }, 'full-text indexes are damaged; rebuilding them')
      await whenReady(rebuild)
    }
  } catch (error) {
    const { code, message } = toErrorAnswer(error)
    // Readers report damage they meet as an error, and the recorder handles its own.
    logger.warn({ code, message }, 'the database could not be checked after an unclean stop')
  }
}
