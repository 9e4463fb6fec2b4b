import type { PricedUsage, Pricing } from '../../../store/pricing/pricing.ts'
import type { PaidCall } from '../../../store/read/receipt.ts'
import { pricedUsage } from './sums.ts'

interface Omission {
  readonly text: string
  applies(usage: PricedUsage): boolean
  without(usage: PricedUsage): PricedUsage
}

/** Parts of a price that another program may leave out. */
const OMISSIONS: readonly Omission[] = [
  {
    text: 'one-hour cache writes are priced as five-minute ones',
    applies: (usage) => usage.cache_creation_1h_input_tokens > 0,
    without: (usage) => ({ ...usage, cache_creation_1h_input_tokens: 0 }),
  },
  {
    text: 'web searches are not counted',
    applies: (usage) => usage.web_search_requests > 0,
    without: (usage) => ({ ...usage, web_search_requests: 0 }),
  },
  {
    text: 'fast mode is priced as standard speed',
    applies: ({ speed }) => speed === 'fast',
    without: (usage) => ({ ...usage, speed: null }),
  },
  {
    text: 'the surcharge for a region is left out',
    applies: ({ inference_geo: geo }) => geo === 'us',
    without: (usage) => ({ ...usage, inference_geo: null }),
  },
  {
    text: 'the service tier is priced as standard',
    applies: ({ service_tier: tier }) => tier !== null && tier !== 'standard',
    without: (usage) => ({ ...usage, service_tier: null }),
  },
]

/** Relative tolerance for a total that a set of omissions explains. */
const TOLERANCE = 1e-6

/**
 * Explains a different price for the same tokens by the smallest set of omissions that produces it, if there is one.
 */
export function differentPrices(pricing: Pricing, calls: readonly PaidCall[], theirs: number): string {
  const usages = calls.map((call) => ({ call, usage: pricedUsage(call) }))
  const possible = OMISSIONS.filter((omission) => usages.some(({ usage }) => omission.applies(usage)))
  const sets = Array.from({ length: 2 ** possible.length }, (_, bits) => possible.filter((__, at) => bits & (1 << at)))
  sets.sort((a, b) => a.length - b.length)
  for (const set of sets) {
    const cost = usages.reduce((sum, { call, usage }) => {
      const reduced = set.reduce((left, omission) => omission.without(left), usage)
      return sum + (pricing.price(call.model, reduced, call.timestamp) ?? 0)
    }, 0)
    if (set.length > 0 && Math.abs(cost - theirs) <= TOLERANCE * Math.max(cost, theirs))
      return `The same tokens at other prices: ${set.map(({ text }) => text).join('; ')}.`
  }
  if (theirs === 0) return 'The other program has no price for this model.'
  return 'The same tokens at other list prices, or at the prices of another day.'
}
