import { setTimeout as pause } from 'node:timers/promises'
import type { Dispatch } from '../dispatch/dispatch.ts'

/** The app behind the window. */
export interface OpenedApp {
  readonly dispatch: Dispatch
  /** `own` runs in this process; `other` runs in another process that was started first. */
  readonly kind: 'own' | 'other'
  readonly ports: { readonly proxy: number | null; readonly app: number }
  /** Stops the app if it runs in this process. */
  stop(): Promise<void>
  /** Resolves with whether the app still serves. Always true for our own. */
  isThere(): Promise<boolean>
}

/** Connects the window to the app in this process, or to the one that already serves the data. */
export type Door = ReturnType<typeof createDoor>

/** Intervals in ms between checks of another app, and between attempts to open one. */
const CHECK_MS = 5000
const RETRY_MS = 2000

/** Opens an app at once. If another process served the data and exits, this process takes over. */
export function createDoor(open: () => Promise<OpenedApp>, onChange: (app: OpenedApp) => void = () => undefined) {
  const ending = new AbortController()
  let current = open()
  let checking: Promise<void> | null = null
  current.then(onChange, () => undefined)

  async function reopen(): Promise<void> {
    const before = await current
    if (before.kind === 'own' || (await before.isThere())) return
    const next = (async () => {
      for (;;) {
        try {
          return await open()
        } catch (error) {
          // Another process may be about to serve the same data. Retry, and attach to it then.
          if (ending.signal.aborted) throw error
          await pause(RETRY_MS, undefined, { ref: false })
        }
      }
    })()
    current = next
    onChange(await next)
  }

  /** Checks now whether the other app still serves, and opens a new one if not. */
  function check(): Promise<void> {
    checking ??= reopen()
      .catch(() => undefined)
      .finally(() => (checking = null))
    return checking
  }

  const timer = setInterval(() => void check(), CHECK_MS)
  timer.unref()
  /** Its calls wait while the app starts or changes. */
  const dispatch: Dispatch = {
    call: async (name, input, context) => (await current).dispatch.call(name, input, context),
    async *stream(name, input, context, signal) {
      yield* (await current).dispatch.stream(name, input, context, signal)
    },
  }
  return {
    dispatch,
    /** Rejects if the first app could not be opened. */
    opened: () => current,
    check,
    async stop() {
      ending.abort()
      clearInterval(timer)
      const app = await current.catch(() => null)
      await app?.stop()
    },
  }
}
