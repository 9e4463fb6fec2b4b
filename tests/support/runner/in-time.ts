const PATIENCE_MS = 60_000

/** Waits for a promise; throws with `what` if that takes longer than `timeoutMs`. */
export async function inTime<Value>(what: string, promise: Promise<Value>, timeoutMs = PATIENCE_MS): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const error = new Error(`timed out after ${timeoutMs} ms waiting until ${what}`)
  const timer = setTimeout(() => late.reject(error), timeoutMs)
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer))
}

/**
 * Passes on a feed's items. Throws with `what` if its next item takes longer than `timeoutMs`: a feed that sends
 * nothing would leave a test hanging without a word.
 */
export async function* eachInTime<Item>(
  what: string,
  feed: AsyncIterable<Item>,
  timeoutMs = PATIENCE_MS,
): AsyncGenerator<Item, void, void> {
  const items = feed[Symbol.asyncIterator]()
  // A feed that still waits for its next item cannot be ended in order.
  let isWaiting = false
  try {
    for (;;) {
      isWaiting = true
      const next = await inTime(what, items.next(), timeoutMs)
      isWaiting = false
      if (next.done === true) return
      yield next.value
    }
  } finally {
    if (!isWaiting) await items.return?.()
  }
}
