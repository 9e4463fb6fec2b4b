import type { Call } from './call.ts'

/** Two clocks that differ by less are equal: the upstream's has seconds only. */
const CLOCK_TOLERANCE_MS = 5000
/** An answer may have begun so much before or after its request's time suggests. */
const RUN_TOLERANCE_MS = 60_000

/**
 * Returns the milliseconds between the requests of two calls; null if the clock was set back in between. If the
 * upstream's clock disagrees with ours, ours was changed, so the upstream's counts.
 */
export function pauseBetween(before: Call, now: Call): number | null {
  const pause = now.sentAt - before.sentAt
  if (before.answeredAt !== null && now.answeredAt !== null) {
    const skew = now.begunAt - before.begunAt - (now.answeredAt - before.answeredAt)
    return Math.abs(skew) > CLOCK_TOLERANCE_MS ? pause - skew : pause
  }
  if (pause < 0) return null
  // A run's own time never passes faster than the clock, even if the app was restarted or the machine slept.
  const run = before.monotonic === null || now.monotonic === null ? 0 : now.monotonic - before.monotonic
  return run > pause + RUN_TOLERANCE_MS ? null : pause
}

/** True if the conversation has more new answers than were recorded: a request in between was not captured. */
export function hasGap(before: Call, now: Call, { between }: { readonly between: number }): boolean {
  if (before.blocks === null || now.blocks === null) return false
  return answersIn(now.blocks.messages) - answersIn(before.blocks.messages) > 1 + between
}

const answersIn = (messages: readonly { readonly role: string }[]): number =>
  messages.reduce((count, { role }) => count + Number(role === 'assistant'), 0)
