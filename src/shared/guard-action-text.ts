import type { GuardCap } from './contract/guard.ts'
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
      return raisedTo === undefined
        ? `Limit raised by you: ${capText(cap, limit)}`
        : `Limit raised by you: ${capName(cap)} from ${capAmount(cap, limit)} to ${capAmount(cap, raisedTo)}`
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

/** Names of caps within a sentence, for every view, message and setting. */
const CAP_NAMES: Readonly<Record<GuardCap, string>> = {
  request_usd: 'cap per request',
  session_usd: 'cap per session',
  agent_tree_usd: 'cap per agent with its subagents',
  hour_usd: 'cap per hour',
  day_usd: 'cap per day',
  request_tokens: 'token cap per request',
  session_tokens: 'token cap per session',
  agent_tree_tokens: 'token cap per agent with its subagents',
  hour_tokens: 'token cap per hour',
  day_tokens: 'token cap per day',
  agents_per_turn: 'cap on subagents per turn',
  repeat_calls: 'cap on repeated calls',
  growing_fan_out: 'cap on growing fan-outs',
}

/** Returns whether a name, such as that of a setting, is a cap's. */
export const isCap = (name: string): name is GuardCap => Object.hasOwn(CAP_NAMES, name)

/** Returns the name of a cap within a sentence: `cap per session`. A version to come may have others. */
export const capName = (cap: string): string => (isCap(cap) ? CAP_NAMES[cap] : `cap on ${cap}`)

/** Returns an amount of what a cap limits, with its unit. */
export function capAmount(cap: string, amount: number): string {
  if (cap.endsWith('_usd')) return formatUsd(amount)
  return cap.endsWith('_tokens') ? `${Math.round(amount).toLocaleString('en-US')} tokens` : String(amount)
}
