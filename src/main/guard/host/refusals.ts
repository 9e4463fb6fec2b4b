import type { OverCap } from '../../../shared/contract/guard.ts'
import { reasonOf } from '../../../shared/guard-reason.ts'
import type { MessagesError } from '../../proxy/messages-error.ts'
import type { ModelApi } from '../../proxy/protocol/api-path.ts'

/** The reason for refusing a request. */
export type RefusedBy = 'rule' | 'person' | 'timeout' | 'stop'

/**
 * Returns the answer to a refused request, which makes the client show the message, end the turn and not retry: status
 * 402 for Claude Code (measured with version 2.1.330), 400 with the code `invalid_prompt` for Codex (0.169.0, which
 * retries ten times after a 402).
 */
export function refusalOf(over: OverCap, by: RefusedBy, api: ModelApi): MessagesError {
  const message = `Aspy's guard stopped this request: ${reasonOf(over)}. ${NEXT[by]}`
  return api === 'messages'
    ? { status: 402, type: 'billing_error', message }
    : { status: 400, type: 'invalid_request_error', message, code: 'invalid_prompt' }
}

const NEXT: { readonly [by in RefusedBy]: string } = {
  rule: 'Raise the cap in [guard] of config.toml, or run: aspy guard',
  person: 'You stopped it. Send the prompt again to be asked again.',
  timeout: 'Nobody decided in time. Send the prompt again, and run: aspy guard',
  stop: 'Aspy is stopping. Send the prompt again once it has started.',
}
