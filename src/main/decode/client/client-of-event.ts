import type { AnyEvent, EventSource, Json, JsonObject } from '../../../shared/event.ts'
import { listOf, stringOf } from '../../../shared/json-fields.ts'
import type { RawHeaders } from '../../proxy/protocol/tap-protocol.ts'
import { headerOf } from '../headers.ts'
import { anthropicSdkOfUserAgent } from './anthropic-sdk/client.ts'
import { codexOfUserAgent } from './codex/client.ts'
import { CLAUDE_CODE, CLAUDE_CODE_HEADER, claudeCodeOfUserAgent, isPrintMode } from './claude-code/client.ts'
import { CODEX, codexId } from './codex/identity.ts'
import { copilotCli, copilotSession } from './copilot-cli/client.ts'
import { kimiCode } from './kimi-code/client.ts'
import { pi, piSession } from './pi/client.ts'
import { qwenCode, qwenSession } from './qwen-code/client.ts'
import { wireClientOfHeaders } from './wire-clients.ts'
import { CERTAINTY, plainVersion, type ClientFact } from './client-fact.ts'

/** One reader of user agents per client. */
const USER_AGENTS = [claudeCodeOfUserAgent, codexOfUserAgent, anthropicSdkOfUserAgent] as const

const CLIENT_HEADERS: ReadonlySet<string> = new Set([
  'user-agent',
  CLAUDE_CODE_HEADER,
  'x-interaction-type',
  'x-opencode-session-id',
])

/** Real user agents are shorter. */
const MAX_CHARACTERS = 500

/** Returns the client that an event names; null if it names none. */
export function clientOfEvent(event: AnyEvent): ClientFact | null {
  if (event.kind === 'model_request') {
    const { client: marked, headers } = event.payload
    if (!Array.isArray(marked)) return clientOfHeaders(headers)
    const [client, version] = listOf(marked).map(stringOf)
    return client ? { client, version: plainVersion(version), certainty: CERTAINTY.header } : null
  }
  if (event.kind === 'session_started') {
    const version = plainVersion(event.payload.client_version)
    const client = clientOfSource(event.source, event.session_id)
    if (version !== null)
      return { client, version, certainty: client === null ? CERTAINTY.source : CERTAINTY.transcript }
  }
  return certainBySource(event.source, event.session_id)
}

/** Returns whether a client sent a request that exits after its turn. */
export const isOfPrintMode = (headers: unknown): boolean =>
  isPrintMode((headerOf(textHeaders(headers), 'user-agent') ?? '').slice(0, MAX_CHARACTERS))

/** Returns the headers that name a client. They stay in a request's event when its other headers are archived. */
export function clientHeaders(headers: unknown): Json[] {
  if (!Array.isArray(headers)) return []
  return (headers as Json[]).filter(
    (header) => Array.isArray(header) && typeof header[0] === 'string' && CLIENT_HEADERS.has(header[0].toLowerCase()),
  )
}

/** Returns the client that a sighting names in its fields `client` and `client_version`, or by its source and session. */
export function clientOfSighting(
  source: EventSource,
  payload: JsonObject | null,
  sessionId: string,
): ClientFact | null {
  const client = payload?.['client']
  if (typeof client !== 'string') return certainBySource(source, sessionId)
  const version = payload?.['client_version']
  return {
    client,
    version: typeof version === 'string' ? plainVersion(version) : null,
    certainty: CERTAINTY.transcript,
  }
}

function clientOfHeaders(headers: unknown): ClientFact | null {
  const known = textHeaders(headers)
  const found = wireClientOfHeaders(known) ?? clientOfUserAgent(headerOf(known, 'user-agent'))
  if (found !== null || headerOf(known, CLAUDE_CODE_HEADER) === null) return found
  return { client: CLAUDE_CODE, version: null, certainty: CERTAINTY.source }
}

function clientOfUserAgent(userAgent: string | null): ClientFact | null {
  if (userAgent === null || userAgent.length > MAX_CHARACTERS) return null
  for (const read of USER_AGENTS) {
    const found = read(userAgent)
    if (found !== null) return found
  }
  return null
}

/** Headers of a stored event may hold any posted or archived value. */
function textHeaders(headers: unknown): RawHeaders {
  if (!Array.isArray(headers)) return []
  return (headers as readonly unknown[]).flatMap((header) => {
    if (!Array.isArray(header)) return []
    const [name, value] = header as readonly unknown[]
    return typeof name === 'string' && typeof value === 'string' ? [[name, value] as const] : []
  })
}

/** Beginnings of the session ids of clients other than Claude Code; an id of ours tells nothing. */
const SESSION_IDS: readonly (readonly [beginning: string, client: string | null])[] = [
  [codexId(''), CODEX],
  [piSession(''), pi.name],
  [qwenSession(''), qwenCode.name],
  [copilotSession(''), copilotCli.name],
  ['session_', kimiCode.name],
  ['unnamed-', null],
]

/** Hooks and transcripts are those of a client that names its sessions in its own way. */
function clientOfSource(source: EventSource, sessionId: string): string | null {
  if (source !== 'hook' && source !== 'transcript') return null
  const found = SESSION_IDS.find(([beginning]) => sessionId.startsWith(beginning))
  return found === undefined ? CLAUDE_CODE : found[1]
}

function certainBySource(source: EventSource, sessionId: string): ClientFact | null {
  const client = clientOfSource(source, sessionId)
  return client === null ? null : { client, version: null, certainty: CERTAINTY.source }
}
