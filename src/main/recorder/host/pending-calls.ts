interface PendingCall {
  resolve(value: unknown): void
  reject(error: Error): void
  readonly onProgress: ((value: unknown) => void) | undefined
}

/** Calls to a thread that have no answer yet, by call number. */
export function createPendingCalls() {
  const calls = new Map<number, PendingCall>()
  let last = 0

  function take(number: number): PendingCall | undefined {
    const call = calls.get(number)
    calls.delete(number)
    return call
  }

  return {
    /** Sends the call with `post` and resolves with its answer. Rejects with what `post` throws. */
    open: (post: (call: number) => void, onProgress: ((value: unknown) => void) | undefined) =>
      new Promise<unknown>((resolve, reject) => {
        const number = ++last
        post(number)
        calls.set(number, { resolve, reject, onProgress })
      }),
    progress: (call: number, value: unknown) => calls.get(call)?.onProgress?.(value),
    resolve: (call: number, value: unknown) => take(call)?.resolve(value),
    reject: (call: number, error: Error) => take(call)?.reject(error),
    /** Rejects every pending call: the thread that would answer is gone. */
    rejectAll(why: () => Error) {
      for (const call of calls.keys()) take(call)?.reject(why())
    },
  }
}
