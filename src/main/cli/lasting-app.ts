import { setTimeout as pause } from 'node:timers/promises'
import { AspyError, type ErrorCode } from '../../shared/contract/errors.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'
import type { RunningApp } from '../base/running-app.ts'
import { overHttp } from './client.ts'
import { AWAY, findApp, findOrWakeApp } from './wake-app.ts'

/** How many apps in a row may end while they are asked. */
const MOST_APPS = 10
/** Errors of an app that has ended or is about to; all others are answers. */
const ENDED: ReadonlySet<ErrorCode> = new Set(['unreachable', 'store_unavailable', 'gone'])
/** Pause in ms before a lost stream is opened again. */
const RETRY_MS = 500

/**
 * Asks the app at the start of a run. If the app ends meanwhile, asks the next one, up to a limit. Returns null if none
 * serves. Throws what an app refuses.
 */
export async function askLastingly<T>(
  dataDir: string,
  app: RunningApp,
  ask: (app: RunningApp) => Promise<T>,
): Promise<T | null> {
  let current: RunningApp | null = app
  for (let asked = 0; asked < MOST_APPS && current !== null && current.id !== AWAY; asked += 1) {
    try {
      return await ask(current)
    } catch (error) {
      const next = await findOrWakeApp(dataDir)
      // After an app has ended, its keeper answers on the port, without a proof.
      if (error instanceof AspyError && !ENDED.has(error.code) && next?.id === current.id) throw error
      current = next
    }
  }
  return null
}

/** Returns where the app of a folder forwards to; null if none serves. */
export const upstreamsOf = (dataDir: string, app: RunningApp): Promise<OperationOutput<'health.get'> | null> =>
  askLastingly(dataDir, app, (current) => overHttp(current, dataDir).call('health.get', {}))

/** Reads a stream of the app, and of each one that follows it, until the signal aborts. It starts none. */
export async function followLastingly<T>(
  dataDir: string,
  first: AsyncIterable<T> | null,
  open: (app: RunningApp) => AsyncIterable<T>,
  signal: AbortSignal,
): Promise<void> {
  let stream = first
  while (!signal.aborted) {
    try {
      for await (const _ of stream ?? []) continue
    } catch {
      // The app has ended, and another may start.
    }
    await pause(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined)
    const app = await findApp(dataDir).catch(() => null)
    stream = app === null ? null : open(app)
  }
}
