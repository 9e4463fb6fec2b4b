/**
 * Number of recorder crashes after which the exchange at fault is given up. One fewer than the tap tolerates, since the
 * tap would drop the other exchanges too.
 */
const DEATHS_UNTIL_POISON = 3

/** Finds exchanges that crash every recorder. One that was merely open during a crash is not blamed. */
export interface PoisonExchanges {
  /** Counts a crash of the recorder during this exchange. Returns true if the exchange should be given up. */
  diedOver(exchange: string): boolean
  /** The exchange was recorded, so it was not the cause. */
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
