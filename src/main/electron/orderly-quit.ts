/** The source of a request to quit. `system` means a shutdown or a signal, when no question can be asked. */
export type QuitReason = 'person' | 'system'

export type OrderlyQuit = ReturnType<typeof createOrderlyQuit>

export interface OrderlyQuitOptions {
  /** Asks the user if necessary. Resolves with false to stay. */
  readonly mayQuit: () => Promise<boolean>
  /** Stops everything in order. */
  readonly end: () => Promise<void>
  /** Quits without further checks. */
  readonly leave: () => void
  /** Time limit in ms for `end`; after it, the app quits anyway. */
  readonly deadlineMs: number
  readonly onLate: () => void
  readonly onFault: (error: unknown) => void
}

/** Handles every way of quitting: asks at most once, stops everything once, in order and within a deadline. */
export function createOrderlyQuit(options: OrderlyQuitOptions) {
  const { mayQuit, end, leave, deadlineMs, onLate, onFault } = options
  let state: 'running' | 'asking' | 'ending' | 'ended' = 'running'
  let isAsking = true

  async function run(): Promise<void> {
    state = 'asking'
    // If the question cannot be shown, quit anyway.
    const isAgreed = !isAsking || (await mayQuit().catch(failed(true)))
    // A system request may have arrived meanwhile; it does not wait for an answer.
    if (!isAgreed && isAsking) {
      state = 'running'
      return
    }
    state = 'ending'
    let timer: NodeJS.Timeout | null = null
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        onLate()
        resolve()
      }, deadlineMs)
    })
    await Promise.race([end().catch(failed(undefined)), late])
    if (timer !== null) clearTimeout(timer)
    state = 'ended'
    leave()
  }

  function failed<Value>(instead: Value): (error: unknown) => Value {
    return (error) => {
      onFault(error)
      return instead
    }
  }

  /** Starts quitting. */
  function request(reason: QuitReason): void {
    if (reason === 'system') isAsking = false
    if (state === 'running') void run()
  }

  return {
    request,
    /** Called when the runtime is about to quit. Returns true if it must wait: the app stops in order and quits then. */
    holdsBack(reason: QuitReason): boolean {
      if (state === 'ended') return false
      request(reason)
      return true
    },
    /** Skips the question from now on, for a system shutdown or an accepted update. */
    askNoMore() {
      isAsking = false
    },
  }
}
