import type { Socket } from 'node:net'

/** A tunnel with one ended side is closed when the other is silent for this long. */
const HALF_OPEN_MS = 120_000
/** Peers that vanished silently are noticed by the system's own probes, which begin after this time. */
const PROBE_MS = 60_000

/**
 * Relays bytes both ways until both sides have ended, with backpressure. One side's end is passed on without closing
 * the other, because some protocols continue in the other direction; an error on one side closes both.
 */
export function relay(one: Socket, other: Socket, halfOpenMs = HALF_OPEN_MS): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.setKeepAlive(true, PROBE_MS)
    from.setNoDelay(true)
    from.on('error', () => from.destroy())
    from.once('close', () => (to.writableLength > 0 && !from.errored ? to.destroySoon() : to.destroy()))
    from.once('end', () => {
      // No data for this long, in either open direction: the tunnel is no longer needed.
      to.setTimeout(halfOpenMs, () => to.destroy())
    })
    from.pipe(to)
  }
}
