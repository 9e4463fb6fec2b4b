import type { SessionIdentity } from '../../wire/wire.ts'
import type { RawHeaders } from '../../../proxy/protocol/tap-protocol.ts'
import type { Json } from '../../../../shared/event.ts'
import { headerOf } from '../../headers.ts'
import { parseJson } from '../../json-access.ts'
import { filledString, isObject, listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import type { HashText } from '../../media.ts'
import { dayOf } from '../../utc-day.ts'

/** True if a request's headers are those of Claude Code. */
export function isClaudeCode(headers: RawHeaders): boolean {
  return (
    headerOf(headers, 'x-claude-code-session-id') !== null ||
    (headerOf(headers, 'user-agent') ?? '').startsWith('claude-cli')
  )
}

/**
 * Identifies the sender of a request: by header, or else `metadata.user_id` (JSON, or the older
 * `user_<hash>_account_<id>_session_<id>`), or else by the beginning of the conversation: see `unnamedBeginning`.
 */
export function identifySession(
  request: { readonly headers: RawHeaders; readonly wall: number },
  body: Json | null,
  hash: HashText,
): SessionIdentity {
  const { headers } = request
  const metadata = userIdOf(objectOf(objectOf(body)['metadata'])['user_id'])
  const key = headerOf(headers, 'x-api-key') ?? bearerOf(headerOf(headers, 'authorization'))
  const named = headerOf(headers, 'x-claude-code-session-id') ?? metadata.session
  const unnamed = named === null ? unnamedBeginning({ key, headers, body }, hash) : null
  return {
    sessionId: named ?? `${unnamed ?? ''}-${dayOf(request.wall)}`,
    unnamed,
    agentId: headerOf(headers, 'x-claude-code-agent-id'),
    parentAgentId: headerOf(headers, 'x-claude-code-parent-agent-id'),
    account: metadata.account ?? key,
    project: isObject(body) ? workingDirectory(body) : null,
  }
}

function userIdOf(userId: Json | undefined): { readonly session: string | null; readonly account: string | null } {
  const text = stringOf(userId)
  if (text === null) return { session: null, account: null }
  const parsed = text.startsWith('{') ? parseJson(text) : undefined
  if (isObject(parsed)) {
    return { session: filledString(parsed['session_id']), account: filledString(parsed['account_uuid']) }
  }
  const older = /^user_[^_]*(?:_account_([^_]*))?_session_(.+)$/.exec(text)
  return { session: filledString(older?.[2]), account: filledString(older?.[1]) }
}

function bearerOf(authorization: string | null): string | null {
  return authorization === null ? null : filledString(authorization.replace(/^Bearer\s+/i, ''))
}

/**
 * Identifies the beginning of a conversation whose caller names no session, such as a bare SDK. Each request repeats
 * its conversation, so its first message is always there; key, program and `metadata.user_id` distinguish equal ones.
 * The recorder distinguishes conversations with the same beginning (`UnnamedSessions`).
 */
function unnamedBeginning(
  caller: { readonly key: string | null; readonly headers: RawHeaders; readonly body: Json | null },
  hash: HashText,
): string {
  const body = objectOf(caller.body)
  const [first] = listOf(body['messages'])
  const parts = [
    caller.key,
    headerOf(caller.headers, 'user-agent'),
    stringOf(objectOf(body['metadata'])['user_id']),
    first === undefined ? null : comparable(first),
  ]
  return `unnamed-${hash(JSON.stringify(parts)).slice(0, 12)}`
}

/**
 * Returns a message without the parts that may change when it is sent again: `cache_control`, and a text given as a
 * string or as a block.
 */
function comparable(message: Json): Json {
  const { role, content } = objectOf(message)
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
  return [
    role ?? null,
    blocks.map((block) =>
      isObject(block) ? Object.fromEntries(Object.entries(block).filter(([name]) => name !== 'cache_control')) : block,
    ),
  ]
}

const DIRECTORY = /(?:Primary working directory|Working directory): ([^\n]+)/

/**
 * Reads the working directory from the environment block in the system prompt, a system message, or a reminder at the
 * beginning of the first user message. Only there: a prompt may quote such a line.
 */
function workingDirectory(body: { readonly [key: string]: Json }): string | null {
  for (const text of environmentTexts(body)) {
    const found = DIRECTORY.exec(text)?.[1]?.trim()
    if (found) return found
  }
  return null
}

/** Each request repeats a history that may have thousands of messages, so only both ends are read. */
const MESSAGES_LOOKED_AT = 20

function* environmentTexts(body: { readonly [key: string]: Json }): Generator<string> {
  yield* textsOf(body['system'])
  const messages = listOf(body['messages'])
  const newest = Math.max(MESSAGES_LOOKED_AT, messages.length - MESSAGES_LOOKED_AT)
  for (const message of [...messages.slice(0, MESSAGES_LOOKED_AT), ...messages.slice(newest)]) {
    const { role, content } = objectOf(message)
    if (role === 'system') yield* textsOf(content)
    else if (role === 'user') yield* textsOf(content).filter((text) => text.trimStart().startsWith('<system-reminder>'))
  }
}

/** Returns the texts of a content, which is a string or blocks. */
export function textsOf(content: Json | undefined): readonly string[] {
  if (typeof content === 'string') return [content]
  return listOf(content).flatMap((block) => stringOf(objectOf(block)['text']) ?? [])
}
