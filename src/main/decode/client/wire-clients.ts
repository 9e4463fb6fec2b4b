import type { Json } from '../../../shared/event.ts'
import { listOf, objectOf, stringOf } from '../../../shared/json-fields.ts'
import type { RawHeaders } from '../../proxy/protocol/tap-protocol.ts'
import { headerOf } from '../headers.ts'
import { CERTAINTY, plainVersion, type ClientFact } from './client-fact.ts'
import { copilotCli } from './copilot-cli/client.ts'
import { kimiCode } from './kimi-code/client.ts'
import { opencode } from './opencode/client.ts'
import { pi } from './pi/client.ts'
import { qwenCode } from './qwen-code/client.ts'
import { textsOf } from './message-texts.ts'
import type { ClientRequest, WireClient } from './wire-client.ts'

/** All clients of the Messages API beside Claude Code. */
export const WIRE_CLIENTS: readonly WireClient[] = [pi, kimiCode, opencode, copilotCli, qwenCode]

/** Real user agents are shorter. */
const MAX_CHARACTERS = 500

/**
 * Returns the client of a request: by a user agent or a header of its own, or else by its system prompt, since clients
 * also send the user agents of others. null: Claude Code, an SDK, or an unknown client.
 */
export const wireClientOf = (request: ClientRequest): WireClient | null =>
  clientByHeaders(request.headers)?.client ?? clientByTexts(request)

/** Returns the client that the headers alone name, and its version. */
export function wireClientOfHeaders(headers: RawHeaders): ClientFact | null {
  const found = clientByHeaders(headers)
  return found === null ? null : factOf(found.client, found.version)
}

/** Returns the client of a request and its version; null if it is none of these clients. */
export function wireClientFact(request: ClientRequest): ClientFact | null {
  const byHeaders = clientByHeaders(request.headers)
  const client = byHeaders?.client ?? clientByTexts(request)
  return client === null ? null : factOf(client, byHeaders?.version ?? client.versionOf?.(request) ?? null)
}

/** Returns the working directory of a client, by its own environment block. */
export function directoryOf(client: WireClient, body: Json | null): string | null {
  for (const text of openingTexts(body)) {
    const found = client.directory.exec(text)?.[1]?.trim()
    if (found) return found
  }
  return null
}

function clientByHeaders(headers: RawHeaders): { client: WireClient; version: string | null } | null {
  const marked = WIRE_CLIENTS.find((client) => client.isMarked?.(headers) === true)
  const userAgent = headerOf(headers, 'user-agent') ?? ''
  const version = (client: WireClient) =>
    userAgent.length > MAX_CHARACTERS ? undefined : client.userAgent?.exec(userAgent)?.[1]
  const named = marked ?? WIRE_CLIENTS.find((client) => version(client) !== undefined)
  return named === undefined ? null : { client: named, version: version(named) ?? null }
}

function clientByTexts({ headers, body }: ClientRequest): WireClient | null {
  // Agents of Claude Code have system prompts of any beginning, and its session header in each request.
  if (headerOf(headers, 'x-claude-code-session-id') !== null) return null
  const texts = openingTexts(body)
  return WIRE_CLIENTS.find(({ opening }) => texts.some((text) => opening.test(text))) ?? null
}

/** Returns the texts in which clients describe themselves: the system prompt, and the first message. */
function openingTexts(body: Json | null): readonly string[] {
  const { system, messages } = objectOf(body)
  const first = objectOf(listOf(messages)[0])
  return [...textsOf(system), ...(stringOf(first['role']) === 'user' ? textsOf(first['content']) : [])]
}

const factOf = ({ name }: WireClient, version: string | null): ClientFact => ({
  client: name,
  version: plainVersion(version),
  certainty: CERTAINTY.header,
})
