import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { getEnvironmentData, isMainThread, setEnvironmentData, threadName } from 'node:worker_threads'

/**
 * Preloaded into every thread of an app whose answers are recorded, so that two runs record the same: the clock is stopped
 * until the parent process sets it, and generated UUIDs are counted instead of drawn. `ANSWERS_NOW` is the first time, in ms.
 */

const CLOCK = 'answers.clock'
const clock = sharedClock()
const startedAt = clock[0] ?? 0
const now = (): number => clock[0] ?? 0

class StoppedDate extends Date {
  constructor(...values: readonly unknown[]) {
    // `Date` has a signature for each number of values.
    super(...((values.length === 0 ? [now()] : values) as [number]))
  }

  static override now(): number {
    return now()
  }
}
globalThis.Date = StoppedDate as DateConstructor
performance.now = () => now() - startedAt

/** Marks UUIDs that were generated here, see `canonical.ts`. UUIDv7 keeps two bits of the first byte. */
const MARK = '03a5'
const ofThread = [...(threadName ?? '')].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 0xff, 7)
let counted = 0

/** Returns the last twelve digits of the next UUID: mark, thread, number. */
const nextTail = (): string =>
  MARK + ofThread.toString(16).padStart(2, '0') + (counted += 1).toString(16).padStart(6, '0')

/** Fills each 16 bytes with what makes a counted UUID. */
function fill<T extends NodeJS.ArrayBufferView>(view: T): T {
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength).fill(0)
  for (let at = 0; at + 16 <= bytes.length; at += 16) bytes.write(nextTail(), at + 10, 'hex')
  return view
}
crypto.randomUUID = () => `00000000-0000-4000-8000-${nextTail()}`
crypto.randomFillSync = fill
globalThis.crypto.getRandomValues = fill as typeof globalThis.crypto.getRandomValues
syncBuiltinESMExports()

/** Returns the clock that all threads share. The main thread sets it to what the parent process sends, and answers. */
function sharedClock(): Float64Array {
  const shared = getEnvironmentData(CLOCK)
  if (shared instanceof Float64Array) return shared
  const made = new Float64Array(new SharedArrayBuffer(8))
  made[0] = Number(process.env['ANSWERS_NOW'])
  setEnvironmentData(CLOCK, made)
  if (isMainThread) {
    process.on('message', (time) => {
      // A keeper and its app talk over the same channel.
      if (typeof time !== 'number') return
      made[0] = time
      process.send?.(time)
    })
    // Never outlives the script.
    process.on('disconnect', () => process.exit(1))
    process.channel?.unref()
  }
  return made
}
