import type { Json, JsonObject } from '../../../../shared/event.ts'
import type { AskedFor } from '../../../../shared/service-terms.ts'
import { modelApiOf } from '../../../proxy/protocol/api-path.ts'
import { isCodex } from '../../client/codex/client.ts'
import { codexKey, codexPlace, turnMetadata } from '../../client/codex/identity.ts'
import { workingDirectory } from '../../client/codex/prompts.ts'
import { requestKindOf } from '../../client/codex/request-kind.ts'
import type { AnyDraft } from '../../draft.ts'
import { headerOf } from '../../headers.ts'
import { filledString, isObject, listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import type { HashText } from '../../media.ts'
import { dayOf } from '../../utc-day.ts'
import type { DecodedRequest, RequestExchange, RequestHistory, RequestLookups, SessionIdentity, Wire } from '../wire.ts'
import { agentPrompts, agentStart } from './agent-start.ts'
import { withEarlierTexts } from '../repeated-texts.ts'
import { requestBase, requestDraft } from '../request-draft.ts'
import { readItems } from './request-items.ts'

const CONVERSATIONS: ReadonlySet<string> = new Set(['subagent', 'compaction', 'loop', 'prompt', 'warmup'])

/**
 * Identifies the sender of a request: by Codex's own names for session and thread, or else by the beginning of the
 * conversation.
 */
export const identify: Wire['identify'] = (request, body, hash): SessionIdentity => {
  const { headers } = request
  const metadata = turnMetadata(headers, body)
  const named = codexPlace(
    headerOf(headers, 'session-id') ?? headerOf(headers, 'session_id') ?? metadata.sessionId ?? cacheKey(headers, body),
    metadata.threadId ?? headerOf(headers, 'thread-id') ?? headerOf(headers, 'conversation_id'),
  )
  const place = named ?? { sessionId: unnamedSession(request, body, hash), agentId: null }
  const parent = metadata.parentThreadId
  const account = headerOf(headers, 'chatgpt-account-id')
  return {
    ...place,
    unnamed: named === null ? place.sessionId : null,
    parentAgentId:
      parent === null ? null : (codexPlace(place.sessionId.replace(/^codex-/, ''), parent)?.agentId ?? null),
    account: account ?? bearerOf(headerOf(headers, 'authorization')),
    isKey: account === null,
    project: workingDirectory(inputOf(body)),
  }
}

/** Codex names its cache after its session. Another client's key may be shared by many conversations. */
function cacheKey(headers: RequestExchange['headers'], body: Json | null): string | null {
  return isCodex(headers) ? filledString(objectOf(body)['prompt_cache_key']) : null
}

function unnamedSession(
  { headers, wall }: Pick<RequestExchange, 'headers' | 'wall'>,
  body: Json | null,
  hash: HashText,
): string {
  const first = inputOf(body).find((item) => objectOf(item)['role'] === 'user') ?? null
  const parts = [headerOf(headers, 'authorization'), headerOf(headers, 'user-agent'), first]
  return `unnamed-${hash(JSON.stringify(parts)).slice(0, 12)}-${dayOf(wall)}`
}

function bearerOf(authorization: string | null): string | null {
  return authorization === null ? null : filledString(authorization.replace(/^Bearer\s+/i, ''))
}

/** Returns the items of a request's input; a plain string is a message of the user. */
export function inputOf(body: Json | null): readonly Json[] {
  const { input } = objectOf(body)
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : listOf(input)
}

/** Returns why a request was sent; `infrastructure` for any other path. */
export const kindOf: Wire['kindOf'] = ({ method, path, headers, body }) => {
  const isSocket = method === 'GET' && objectOf(body)['type'] === 'response.create'
  if ((method !== 'POST' && !isSocket) || modelApiOf(path) !== 'responses') return 'infrastructure'
  // A body that could not be read: its answer is recorded.
  if (!isObject(body)) return 'side_call'
  const metadata = turnMetadata(headers, body)
  const place = codexPlace(headerOf(headers, 'session-id') ?? metadata.sessionId, metadata.threadId)
  return requestKindOf(headers, path, body, place !== null && place.agentId !== null)
}

/** Decodes the new parts of a request: prompts, results, an agent's start, unseen history. */
export function decodeRequest(
  exchange: RequestExchange,
  body: Json | null,
  history: RequestHistory,
  lookups: RequestLookups,
): DecodedRequest {
  const identity = lookups.identity ?? identify(exchange, body, lookups.hash)
  const requestKind = lookups.requestKind ?? kindOf({ ...exchange, body })
  const metadata = turnMetadata(exchange.headers, body)
  const base = requestBase(exchange, identity)
  const message = isObject(body) ? body : {}
  const drafts: AnyDraft[] = []
  let tail: readonly string[] = []
  if (CONVERSATIONS.has(requestKind)) {
    const known = inputOf(body).slice(0, history.knownMessages)
    // A request that only warms the cache has no task.
    if (identity.agentId !== null && requestKind !== 'warmup' && agentPrompts(known).length === 0) {
      const callId = agentPrompts(inputOf(body)).reduce<string | null>(
        (found, prompt) => found ?? lookups.findAgentCall(prompt),
        null,
      )
      drafts.push(agentStart(base, identity, metadata.agentName, callId))
    }
    const around = { hash: lookups.hash, promptId: metadata.turnId, takesPrompts: identity.agentId === null }
    const readAs = (before: RequestHistory) => readItems(base, exchange.exchange, inputOf(body), before, around)
    const read = readAs(history)
    drafts.push(...withEarlierTexts(read.drafts, history, (whole) => readAs(whole).drafts))
    tail = read.tail
  }
  const seen = { model: stringOf(message['model']), message_count: inputOf(body).length }
  const request = requestDraft(base, exchange, history, lookups, tail, { request_kind: requestKind, ...seen })
  return {
    drafts: [...drafts, request],
    requestKind,
    tail,
    ...(metadata.turnId === null ? {} : { turnEndKeys: [codexKey.turnEnd(identity.sessionId, metadata.turnId)] }),
    identity,
    model: seen.model,
    asked: askedFor(message),
  }
}

function askedFor(body: JsonObject): AskedFor | null {
  if (stringOf(body['model']) === null) return null
  return {
    model: filledString(body['model']),
    betas: [],
    effort: filledString(objectOf(body['reasoning'])['effort']),
    speed: null,
    service_tier: filledString(body['service_tier']),
    inference_geo: null,
    cache_ttl: null,
  }
}
