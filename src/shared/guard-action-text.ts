import type { GuardAction } from './guard-action.ts'
import { counted } from './counted.ts'
import { formatUsd } from './usd.ts'

/** Says in a line for people what the guard did. */
export function guardActionText({ action, cap, decided_by: by, limit, raised_to: raisedTo }: GuardAction): string {
  const over = overText(cap, limit)
  switch (action) {
    case 'held':
      return `Held: ${over}`
    case 'notified':
      return `Sent, though it ${over}`
    case 'allowed':
      return by === 'person' ? 'Allowed by you' : 'Allowed: the caps have changed'
    case 'raised':
      return `Limit raised by you: ${capText(cap, raisedTo ?? limit)}`
    case 'refused':
      return by === 'person' ? 'Stopped by you' : `Refused: ${REFUSED[by] ?? over}`
    case 'ended':
      return by === 'client' ? 'Given up by the client' : 'Ended'
  }
}

/** Says in a line how many requests a cap stopped, and who decided. */
export function refusedText(stopped: Pick<GuardAction, 'cap' | 'limit' | 'decided_by'> & { requests: number }): string {
  const { cap, limit, decided_by: by, requests } = stopped
  const why = cap === 'unpriced' ? 'since it could not be priced' : `by the ${capText(cap, limit)}`
  const added = by === 'person' ? ', by your decision' : REFUSED[by] === undefined ? '' : `: ${REFUSED[by]}`
  return `${counted(requests, 'request')} refused ${why}${added}`
}

/** Says in a clause why a request is stopped. */
export const overText = (cap: string, limit: number): string =>
  cap === 'unpriced' ? 'could not be priced' : `would exceed the ${capText(cap, limit)}`

const REFUSED: { readonly [by in GuardAction['decided_by']]?: string } = {
  timeout: 'nobody decided in time',
  stop: 'Aspy was stopping',
}

const capText = (cap: string, limit: number): string => `${capName(cap)} (${capAmount(cap, limit)})`

/** Returns the name of a cap within a sentence: `cap per session`. */
export function capName(cap: string): string {
  const [, whole] = /^(.+)_(?:usd|tokens)$/.exec(cap) ?? []
  if (whole === undefined) return `cap on ${COUNTED[cap] ?? cap}`
  return `cap per ${whole === 'agent_tree' ? 'agent with its subagents' : whole}`
}

/** Returns an amount of what a cap limits, with its unit. */
export function capAmount(cap: string, amount: number): string {
  if (cap.endsWith('_usd')) return formatUsd(amount)
  return cap.endsWith('_tokens') ? `${Math.round(amount).toLocaleString('en-US')} tokens` : String(amount)
}

const COUNTED: { readonly [cap: string]: string } = {
  agents_per_turn: 'agents per turn',
  repeat_calls: 'repeated calls',
  growing_fan_out: 'growing fan-outs',
}
