import type { OverCap } from '../../../shared/contract/guard.ts'
import type { MessagesError } from '../../proxy/messages-error.ts'

/** Why a request is refused. */
export type RefusedBy = 'rule' | 'person' | 'timeout' | 'stop'

/**
 * Returns the answer to a refused request. With status 402 Claude Code shows the message, ends the turn and does not retry
 * (measured with version 2.1.330).
 */
export function refusalOf(over: OverCap, by: RefusedBy): MessagesError {
  return {
    status: 402,
    type: 'billing_error',
    message: `Aspy's guard stopped this request: ${reasonOf(over)}. ${NEXT[by]}`,
  }
}

const NEXT: { readonly [by in RefusedBy]: string } = {
  rule: 'Raise the cap in [guard] of config.toml, or run: aspy guard',
  person: 'You stopped it. Send the prompt again to be asked again.',
  timeout: 'Nobody decided in time. Send the prompt again, and run: aspy guard',
  stop: 'Aspy is stopping. Send the prompt again once it has started.',
}

/** Describes the cap that a request would exceed, for people. */
export function reasonOf({ cap, limit, used, guess }: OverCap): string {
  if (cap === 'unpriced') return 'it could not be priced in time, and fail_open is off'
  if (cap === 'repeat_calls')
    return `the same tool call was made ${used + 1} times in this turn (repeat_calls = ${limit})`
  if (cap === 'agents_per_turn') return `this turn would start ${used + 1} agents (agents_per_turn = ${limit})`
  const amount = cap.endsWith('_usd') ? usd : tokens
  return `it would cost about ${amount(guess)} after ${amount(used)}, over the cap of ${amount(limit)} (${cap})`
}

const usd = (value: number) => `$${value.toFixed(value < 0.1 ? 4 : 2)}`
const tokens = (value: number) => `${Math.round(value).toLocaleString('en-US')} tokens`
