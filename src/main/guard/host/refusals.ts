import { GUARD_STOPPED } from '../../../shared/failures.ts'
import type { OverCap } from '../../../shared/contract/guard.ts'
import { typedHere } from '../../base/folder-of-run.ts'
import { shellQuoted } from '../../base/shell-quoted.ts'
import { reasonOf } from '../../../shared/guard-reason.ts'
import type { MessagesError } from '../../proxy/messages-error.ts'
import type { ModelApi } from '../../proxy/protocol/api-path.ts'

/** The reason for refusing a request. */
export type RefusedBy = 'rule' | 'person' | 'timeout' | 'stop' | 'replaced'

/**
 * Returns the answer to a refused request, which makes the client show the message, end the turn and not retry: status
 * 402 for Claude Code (measured with version 2.1.330), 400 with the code `invalid_prompt` for Codex (0.169.0, which
 * retries ten times after a 402). `replaced`: the client sends it again, to the app that now decides about it.
 */
export function refusalOf(over: OverCap, by: RefusedBy, api: ModelApi, dataDir: string): MessagesError {
  if (by === 'replaced') {
    const code = api === 'messages' ? {} : { code: 'service_unavailable' }
    return { status: 503, type: 'overloaded_error', message: 'Aspy has restarted; send the request again', ...code }
  }
  const next = by === 'rule' ? wayOut(over, dataDir) : nextAfter(by, dataDir)
  const message = `${GUARD_STOPPED}: ${reasonOf(over)}. ${next}`
  return api === 'messages'
    ? { status: 402, type: 'billing_error', message }
    : { status: 400, type: 'invalid_request_error', message, code: 'invalid_prompt' }
}

/** Says what to do about a request that no decision reaches, since it does not wait. */
export const notWaiting = (id: string, dataDir: string): string =>
  `no request ${id} waits for a decision; ${typedHere('aspy guard', dataDir)} lists those that do. For one that was refused, ` +
  `raise its cap with ${typedHere('aspy config set guard.day_usd N', dataDir)}, or guard.projects.FOLDER.day_usd N for a ` +
  'project; then send the prompt again'

/** Says how the cap that refused a request is raised: a project's own one is set by its folder. */
function wayOut({ cap, project }: OverCap, dataDir: string): string {
  if (cap === 'unpriced') return 'To let such requests pass, turn on fail_open in [guard] of config.toml.'
  const key = project === undefined ? `guard.${cap}` : shellQuoted(`guard.projects.${project}.${cap}`)
  const set = typedHere(`aspy config set ${key} N`, dataDir)
  return `To send it, raise this limit in Aspy under Guard, or run: ${set} (0: no cap). Then send the prompt again.`
}

function nextAfter(by: Exclude<RefusedBy, 'replaced' | 'rule'>, dataDir: string): string {
  if (by === 'stop') return 'Aspy is stopping. Send the prompt again once it has started.'
  return by === 'person'
    ? 'You stopped it in Aspy. Send the prompt again to be asked again: there you can allow it, or raise the limit.'
    : `Nobody decided in time. Send the prompt again, and allow it in the window of Aspy, or run: ${typedHere('aspy guard', dataDir)}`
}
