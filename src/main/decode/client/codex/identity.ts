import type { RawHeaders } from '../../../proxy/protocol/tap-protocol.ts'
import type { Json } from '../../../../shared/event.ts'
import { naturalKey } from '../../draft.ts'
import { headerOf } from '../../headers.ts'
import { parseJson } from '../../json-access.ts'
import { filledString, objectOf } from '../../../../shared/json-fields.ts'
import { uniqueId } from '../../unique-id.ts'
import { itemKeys, responseCompactionKey } from '../../wire/openai-responses/keys.ts'

/** Codex's own name in columns, filters and metrics. */
export const CODEX = 'codex'

/** Returns our id of a session or thread that Codex names by a bare UUID. No other client has an id with this prefix. */
export const codexId = (uuid: string): string => `${CODEX}-${uuid}`

/** Natural keys of Codex's facts. The wire and rollouts share them. `sessionId` is ours. */
export const codexKey = {
  /** An item of a response by its position in the output. */
  block: (sessionId: string, responseId: string, index: number) =>
    naturalKey.block(uniqueId(responseId, sessionId), index),
  /** Keys of an item by its own id: a prompt, an answer, a result. Empty if the id is not unique. */
  items: itemKeys,
  call: (sessionId: string, callId: string) => naturalKey.call(uniqueId(callId, sessionId)),
  result: (sessionId: string, callId: string) => naturalKey.result(uniqueId(callId, sessionId)),
  usage: (sessionId: string, responseId: string) => naturalKey.usage(uniqueId(responseId, sessionId)),
  response: (sessionId: string, responseId: string) => naturalKey.response(uniqueId(responseId, sessionId)),
  compaction: responseCompactionKey,
  turnEnd: (sessionId: string, turnId: string) => `codex-turn-end:${uniqueId(turnId, sessionId)}`,
  /** `agentId` is ours. */
  agentStart: (agentId: string) => naturalKey.agentStart(agentId),
  agentEnd: (agentId: string) => naturalKey.agentEnd(agentId),
} as const

/** Turn metadata that Codex sends in `x-codex-turn-metadata`, as a header and in the body; null: not given. */
export interface TurnMetadata {
  readonly sessionId: string | null
  readonly threadId: string | null
  readonly turnId: string | null
  readonly parentThreadId: string | null
  /** `prewarm`, `turn`, `compaction` … */
  readonly requestKind: string | null
  /** The path of a subagent, or else what it is for (`review`); `/root`. */
  readonly agentName: string | null
  /** `user`, `subagent`; `thread_title` for a thread that only names another one (0.171, in a terminal). */
  readonly threadSource: string | null
}

/**
 * Reads the turn metadata of a request. The body's copy is the newer one: on a WebSocket the headers are those of the
 * connection, which serves many turns.
 */
export function turnMetadata(headers: RawHeaders, body: Json | null): TurnMetadata {
  const client = objectOf(objectOf(body)['client_metadata'])
  const ofBody = metadataIn(client['x-codex-turn-metadata'])
  const ofHeader = metadataIn(headerOf(headers, 'x-codex-turn-metadata'))
  const find = (name: string) =>
    filledString(ofBody[name]) ?? filledString(client[name]) ?? filledString(ofHeader[name])
  return {
    sessionId: find('session_id'),
    threadId: find('thread_id'),
    turnId: find('turn_id'),
    parentThreadId: find('parent_thread_id') ?? filledString(headerOf(headers, 'x-codex-parent-thread-id')),
    requestKind: find('request_kind'),
    agentName: (find('agent_name') === '/root' ? find('subagent_kind') : null) ?? find('agent_name'),
    threadSource: find('thread_source'),
  }
}

const metadataIn = (value: Json | undefined): { readonly [key: string]: Json } =>
  typeof value === 'string' ? objectOf(parseJson(value)) : objectOf(value)

/** The session and agent of a Codex thread, in our form. */
export interface CodexPlace {
  readonly sessionId: string
  /** null for the main thread. */
  readonly agentId: string | null
}

/** Returns the place of a thread; null if neither id is known. A thread without a session is its own session. */
export function codexPlace(sessionUuid: string | null, threadUuid: string | null): CodexPlace | null {
  const session = sessionUuid ?? threadUuid
  if (session === null) return null
  const isMain = threadUuid === null || threadUuid === session
  return { sessionId: codexId(session), agentId: isMain ? null : codexId(threadUuid) }
}
