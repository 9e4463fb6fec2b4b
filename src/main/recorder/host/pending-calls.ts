/** Calls to a thread that have no answer yet, by call number. */
export interface PendingCalls {
  /** Sends the call with `post` and resolves with its answer. Rejects with what `post` throws. */
  open(post: (call: number) => void, onProgress: ((value: unknown) => void) | undefined): Promise<unknown>
  progress(call: number, value: unknown): void
  resolve(call: number, value: unknown): void
  reject(call: number, error: Error): void
  /** Rejects every pending call: the thread that would answer is gone. */
  rejectAll(why: () => Error): void
}

interface PendingCall {
  resolve(value: unknown): void
  reject(error: Error): void
  readonly onProgress: ((value: unknown) => void) | undefined
}

export function createPendingCalls(): PendingCalls {
  const calls = new Map<number, PendingCall>()
  let last = 0

  function take(number: number): PendingCall | undefined {
    const call = calls.get(number)
    calls.delete(number)
    return call
  }

  return {
    open: (post, onProgress) =>
      new Promise((resolve, reject) => {
        const number = ++last
        post(number)
        calls.set(number, { resolve, reject, onProgress })
      }),
    progress: (call, value) => calls.get(call)?.onProgress?.(value),
    resolve: (call, value) => take(call)?.resolve(value),
    reject: (call, error) => take(call)?.reject(error),
    rejectAll(why) {
      for (const call of calls.keys()) take(call)?.reject(why())
    },
  }
}
