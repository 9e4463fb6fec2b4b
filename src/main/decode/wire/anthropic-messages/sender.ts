import type { Json } from '../../../../shared/event.ts'
import { beginningOf, identifySession } from '../../client/claude-code/session-identity.ts'
import { agentPromptOf } from '../../client/client-texts.ts'
import { directoryOf, wireClientOf } from '../../client/wire-clients.ts'
import type { HashText } from '../../media.ts'
import type { RequestExchange, SessionIdentity } from '../wire.ts'

/** Identifies the sender of a request: as its client names it, or else as Claude Code and SDKs do. */
export function identifySender(
  { headers, wall }: Pick<RequestExchange, 'headers' | 'wall'>,
  body: Json | null,
  hash: HashText,
): SessionIdentity {
  const identity = identifySession({ headers, wall }, body, hash)
  const request = { headers, body }
  const client = wireClientOf(request)
  if (client === null) return identity
  const project = directoryOf(client, body) ?? identity.project
  const sender = client.senderOf?.(request, hash) ?? null
  if (sender !== null) {
    const known = client.namesSome ? { isNamed: true, unnamed: beginningOf(request, hash) } : { unnamed: null }
    return { ...identity, ...sender, ...known, project }
  }
  const isAgent = identity.unnamed !== null && client.kindOf?.(request) === 'subagent'
  return { ...identity, project, ...(isAgent ? { agentPrompt: agentPromptOf(client, body) } : {}) }
}
