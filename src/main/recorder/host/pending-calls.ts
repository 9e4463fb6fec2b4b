/** Calls under way to a thread, each by the number it travels under, until their answer comes. */
export interface PendingCalls {
  /** `post` sends the call under its number; it rejects with what that throws. */
  open(post: (call: number) => void, onProgress: ((value: unknown) => void) | undefined): Promise<unknown>
  progress(call: number, value: unknown): void
  resolve(call: number, value: unknown): void
  reject(call: number, error: Error): void
  /** Nobody is there to answer any more. */
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

  /** The call, which from now on is no longer under way. */
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
