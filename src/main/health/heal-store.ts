import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { MINUTE_MS } from '../../shared/time-units.ts'
import { isCheckDue, noteCheck } from '../base/last-check.ts'
import { toErrorAnswer } from '../../shared/contract/errors.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'

export interface HealStoreOptions {
  check(): Promise<OperationOutput<'store.check'>>
  /** Rebuilds derived tables from the event log, full-text indexes included. */
  rebuild(): Promise<unknown>
  /** Replaces the damaged database with a new one that has all that can be read. */
  salvage(reason: string): Promise<unknown>
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
      if (tries === TRIES || toErrorAnswer(error).code !== 'store_unavailable') throw error
    }
    await pause(PAUSE_MS, undefined, { ref: false })
  }
}

/** Checks the database after an unclean stop and once a day. Returns a function that ends it. */
export function healOnceADay(dataDir: string, wasUnclean: boolean, options: HealStoreOptions): () => void {
  let isChecking = false
  async function look(isAfterStop: boolean): Promise<void> {
    if (isChecking || !(isAfterStop || isCheckDue(dataDir))) return
    isChecking = true
    if (await healStore(options)) await noteCheck(dataDir)
    isChecking = false
  }
  const lookAgain = (isAfterStop: boolean): void =>
    void look(isAfterStop).catch((err: unknown) => {
      isChecking = false
      options.logger.warn({ err }, 'the time of the last check of the database could not be read or noted')
    })
  lookAgain(wasUnclean)
  const timer = setInterval(lookAgain, MINUTE_MS, false).unref()
  return () => clearInterval(timer)
}

/** Checks the database while the app is serving, and repairs what it can. Returns whether it could be checked. */
export async function healStore({ check, rebuild, salvage, logger }: HealStoreOptions): Promise<boolean> {
  try {
    const { damage, full_text } = await whenReady(check)
    const [first] = damage
    if (first !== undefined) {
      logger.error({ damage }, 'the database is damaged; salvaging what can be read')
      await whenReady(() => salvage(first))
    } else if (full_text.length > 0) {
      logger.warn({ full_text }, 'full-text indexes are damaged; rebuilding them')
      await whenReady(rebuild)
    }
    return true
  } catch (error) {
    const { code, message } = toErrorAnswer(error)
    // Readers report damage they meet as an error, and the recorder handles its own.
    logger.warn({ code, message }, 'the database could not be checked')
    return false
  }
}
