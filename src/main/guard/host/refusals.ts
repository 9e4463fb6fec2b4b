import type { OverCap } from '../../../shared/contract/guard.ts'
import { reasonOf } from '../../../shared/guard-reason.ts'
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
