import type { OverCap } from './contract/guard.ts'

/** Describes the cap that a request would exceed, for people. */
export function reasonOf({ cap, limit, used, guess }: OverCap): string {
  if (cap === 'unpriced') return 'it could not be priced in time, and fail_open is off'
  if (cap === 'repeat_calls')
    return `the same tool call was made ${used + 1} times in this turn (repeat_calls = ${limit})`
  if (cap === 'agents_per_turn') return `this turn would start ${used + 1} agents (agents_per_turn = ${limit})`
  if (cap === 'growing_fan_out')
    return `agents would start agents, or turns more agents each, ${used + 1} times in a row (growing_fan_out = ${limit})`
  const amount = cap.endsWith('_usd') ? usd : tokens
  return `it would cost about ${amount(guess)} after ${amount(used)}, over the cap of ${amount(limit)} (${cap})`
}

const usd = (value: number) => `$${value.toFixed(value < 0.1 ? 4 : 2)}`
const tokens = (value: number) => `${Math.round(value).toLocaleString('en-US')} tokens`
