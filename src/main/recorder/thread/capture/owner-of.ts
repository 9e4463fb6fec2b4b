import type { Json } from '../../../../shared/event.ts'
import { isObject } from '../../../../shared/json-fields.ts'
import type { HashText } from '../../../decode/media.ts'
import { dayOf } from '../../../decode/utc-day.ts'
import type { RequestExchange, SessionIdentity, Wire } from '../../../decode/wire/wire.ts'
import type { UnnamedAgents } from './unnamed-agents.ts'
import type { UnnamedSessions } from './unnamed-sessions.ts'

/** What the recorder knows of callers that name no session. */
interface Unnamed {
  readonly unnamed: UnnamedSessions
  readonly unnamedAgents: UnnamedAgents
  readonly hash: HashText
}

/** Identifies the sender of a request, by the conversations so far if the request itself names no session. */
export function ownerOf(
  wire: Wire,
  open: RequestExchange,
  parsed: Json | null,
  { unnamed, unnamedAgents, hash }: Unnamed,
): SessionIdentity {
  const named = wire.identify(open, parsed, hash)
  const { repeated } = wire
  if (named.unnamed === null || repeated === undefined) return named
  const body = isObject(parsed) ? parsed : {}
  const messages = repeated.messagesOf(body)
  const { exchange } = open
  if (named.agentPrompt !== undefined) {
    const [beginning, prompt, isFirst] = [named.unnamed, named.agentPrompt, messages.length === 1]
    const agent = unnamedAgents.senderOf({ beginning, prompt, isFirst })
    if (agent !== null) return { ...named, ...agent, unnamed: null }
  }
  const sessionId = unnamed.sessionOf({
    exchange,
    beginning: named.unnamed,
    day: dayOf(open.wall),
    wall: open.wall,
    messages,
    instructions: repeated.instructionsOf(body),
    digest: repeated.digest,
    isCount: repeated.isCount(open.path),
    retries: repeated.retriesOf(open.headers),
    named: named.isNamed === true ? named.sessionId : null,
  })
  return { ...named, sessionId }
}
