import { setTimeout as pause } from 'node:timers/promises'
import type { Dispatch } from '../dispatch/dispatch.ts'

/** What the window talks to now. */
export interface OpenedApp {
  readonly dispatch: Dispatch
  /** own: it runs in this process; other: in another, which was there first. */
  readonly kind: 'own' | 'other'
  readonly ports: { readonly proxy: number | null; readonly app: number }
  /** Ends it, where it is ours. */
  stop(): Promise<void>
  /** Whether it still serves; ours always does. */
  isThere(): Promise<boolean>
}

/** The window's door to the data: to the app in this process, or to the one that serves the data already. */
export interface Door {
  /** Waits while the app behind it starts or changes. */
  readonly dispatch: Dispatch
  /** Rejects where the first app could not be opened. */
  opened(): Promise<OpenedApp>
  /** Looks at once whether the other app still serves; where it does not, opens again. */
  look(): Promise<void>
  stop(): Promise<void>
}

/** How often another app is looked after, and how long a new attempt waits, in ms. */
const LOOK_MS = 5000
const RETRY_MS = 2000

/** Opens at once. Where another app served and is gone, this process takes over. */
export function createDoor(open: () => Promise<OpenedApp>, onChange: (app: OpenedApp) => void = () => undefined): Door {
  const ending = new AbortController()
  let current = open()
  let looking: Promise<void> | null = null
  current.then(onChange, () => undefined)

  async function reopen(): Promise<void> {
    const before = await current
    if (before.kind === 'own' || (await before.isThere())) return
    const next = (async () => {
      for (;;) {
        try {
          return await open()
        } catch (error) {
          // Somebody else may be about to serve the same data: then there is one to attach to in a moment.
          if (ending.signal.aborted) throw error
          await pause(RETRY_MS, undefined, { ref: false })
        }
      }
    })()
    current = next
    onChange(await next)
  }

  function look(): Promise<void> {
    looking ??= reopen()
      .catch(() => undefined)
      .finally(() => (looking = null))
    return looking
  }

  const timer = setInterval(() => void look(), LOOK_MS)
  timer.unref()
  return {
    dispatch: {
      call: async (name, input, context) => (await current).dispatch.call(name, input, context),
      async *stream(name, input, context, signal) {
        yield* (await current).dispatch.stream(name, input, context, signal)
      },
    },
    opened: () => current,
    look,
    async stop() {
      ending.abort()
      clearInterval(timer)
      const app = await current.catch(() => null)
      await app?.stop()
    },
  }
}
