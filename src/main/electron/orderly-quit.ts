/** Why the app should end. `system`: the computer shuts down, or a signal came: nobody can be asked. */
export type QuitReason = 'person' | 'system'

export interface OrderlyQuit {
  /** Somebody wants to quit. */
  request(reason: QuitReason): void
  /** The runtime is about to quit; true: hold it back, the app ends in order and quits then. */
  holdsBack(reason: QuitReason): boolean
  /** From now on nobody is asked: the system ends, or an update was agreed to. */
  askNoMore(): void
}

export interface OrderlyQuitOptions {
  /** Asks the person where there is something to ask; false: stay. */
  readonly mayQuit: () => Promise<boolean>
  /** Ends everything in order. */
  readonly end: () => Promise<void>
  /** Quits for good; nothing holds it back any more. */
  readonly leave: () => void
  /** The end took too long, in ms: leave as it is. */
  readonly deadlineMs: number
  readonly onLate: () => void
  readonly onFault: (error: unknown) => void
}

/** One way out for every way of quitting: asked at most once, ended once, in order, within a deadline. */
export function createOrderlyQuit(options: OrderlyQuitOptions): OrderlyQuit {
  const { mayQuit, end, leave, deadlineMs, onLate, onFault } = options
  let state: 'running' | 'asking' | 'ending' | 'ended' = 'running'
  let isAsking = true

  async function run(): Promise<void> {
    state = 'asking'
    // A question that cannot be put must not keep the app for ever.
    const isAgreed = !isAsking || (await mayQuit().catch(failed(true)))
    // Asked meanwhile by somebody who does not wait for an answer.
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

  function request(reason: QuitReason): void {
    if (reason === 'system') isAsking = false
    if (state === 'running') void run()
  }

  return {
    request,
    holdsBack(reason) {
      if (state === 'ended') return false
      request(reason)
      return true
    },
    askNoMore() {
      isAsking = false
    },
  }
}
