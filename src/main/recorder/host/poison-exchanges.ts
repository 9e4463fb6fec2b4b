/**
 * An exchange over which so many recorders died is given up, so that the others can be recorded. One fewer than the tap
 * bears, or the innocent would go with it.
 */
const DEATHS_UNTIL_POISON = 3

/** Tells an exchange that ends every recorder from those that were only there when one ended. */
export interface PoisonExchanges {
  /** A recorder died while it worked on this exchange; true: it is to be given up. */
  diedOver(exchange: string): boolean
  /** It was recorded: whatever killed a recorder, it was not this. */
  cleared(exchange: string): void
}

export function createPoisonExchanges(): PoisonExchanges {
  const deaths = new Map<string, number>()
  return {
    diedOver(exchange) {
      const count = (deaths.get(exchange) ?? 0) + 1
      if (count < DEATHS_UNTIL_POISON) deaths.set(exchange, count)
      else deaths.delete(exchange)
      return count >= DEATHS_UNTIL_POISON
    },
    cleared: (exchange) => void deaths.delete(exchange),
  }
}
