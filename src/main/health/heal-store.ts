import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AspyError, toErrorAnswer } from '../../shared/contract/errors.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'

export interface HealStoreOptions {
  check(): Promise<OperationOutput<'store.check'>>
  /** Makes the tables anew that are drawn from the log, full text included. */
  rebuild(): Promise<unknown>
  /** Moves the file out of the way and begins a new one. */
  setAside(reason: string): Promise<unknown>
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
}

const TRIES = 120
const PAUSE_MS = 500

/** The recorder starts beside all else, and may have a spool to bring back first. */
async function whenReady(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work()
      return
    } catch (error) {
      if (tries === TRIES || !(error instanceof AspyError) || error.code !== 'store_unavailable') throw error
    }
    await pause(PAUSE_MS, undefined, { ref: false })
  }
}

/** After a stop that was none: looks through the database while the app serves, and mends what can be mended. */
export async function healStore({ check, rebuild, setAside, logger }: HealStoreOptions): Promise<void> {
  try {
    const { damage, full_text } = await check()
    const [first] = damage
    if (first !== undefined) {
      logger.error({ damage }, 'the database is damaged; it is set aside')
      await whenReady(() => setAside(first))
    } else if (full_text.length > 0) {
      logger.warn({ full_text }, 'full-text indexes are damaged; they are made anew')
      await whenReady(rebuild)
    }
  } catch (error) {
    const { code, message } = toErrorAnswer(error)
    // A reader that meets damage says so in place of an answer; the recorder acts on what it meets itself.
    logger.warn({ code, message }, 'the database could not be checked after an unclean stop')
  }
}
