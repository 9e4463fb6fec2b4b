import type { SessionIdentity } from '../../wire/wire.ts'
import type { RawHeaders } from '../../../proxy/protocol/tap-protocol.ts'
import type { Json } from '../../../../shared/event.ts'
import { headerOf } from '../../headers.ts'
import { parseJson } from '../../json-access.ts'
import { filledString, isObject, listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import type { HashText } from '../../media.ts'
import { mainFolderOf } from '../../../../shared/folders.ts'
import { isReminder, textsOf } from '../message-texts.ts'
import { dayOf } from '../../utc-day.ts'

/** The client's block for billing in its system prompt. */
export const BILLING = /^x-anthropic-billing-header:/
/** The beginnings of the client's own system prompts. */
export const IDENTITY = /^You are (?:Claude Code|a Claude agent|an interactive (?:agent|CLI tool))/

/**
 * True if a request has a mark that only Claude Code makes: its session header, a block of its system prompt, or its
 * form of `metadata.user_id`. Others send its user agent, too (Qwen Code 0.24.4).
 */
export function hasClaudeCodeMark(headers: RawHeaders, body: Json | null): boolean {
  const { system, metadata } = objectOf(body)
  return (
    headerOf(headers, 'x-claude-code-session-id') !== null ||
    userIdOf(objectOf(metadata)['user_id']).session !== null ||
    textsOf(system).some((text) => BILLING.test(text) || IDENTITY.test(text))
  )
}

/** True if a request's headers are those of Claude Code. */
export const isClaudeCode = (headers: RawHeaders): boolean =>
  headerOf(headers, 'x-claude-code-session-id') !== null ||
  (headerOf(headers, 'user-agent') ?? '').startsWith('claude-cli')

/**
 * Identifies the sender of a request: by header, or else `metadata.user_id` (JSON, or the older
 * `user_<hash>_account_<id>_session_<id>`), or else by the beginning of the conversation: see `beginningOf`.
 */
export function identifySession(
  request: { readonly headers: RawHeaders; readonly wall: number },
  body: Json | null,
  hash: HashText,
): SessionIdentity {
  const { headers } = request
  const userId = objectOf(objectOf(body)['metadata'])['user_id']
  const metadata = userIdOf(userId)
  const key = keyOf(headers)
  const named = headerOf(headers, 'x-claude-code-session-id') ?? metadata.session ?? foreignSession(headers, userId)
  const unnamed = named === null ? beginningOf({ headers, body }, hash) : null
  return {
    sessionId: named ?? `${unnamed ?? ''}-${dayOf(request.wall)}`,
    unnamed,
    agentId: headerOf(headers, 'x-claude-code-agent-id'),
    parentAgentId: headerOf(headers, 'x-claude-code-parent-agent-id'),
    account: metadata.account ?? key,
    isKey: metadata.account === null,
    project: isObject(body) ? workingDirectory(body) : null,
  }
}

/** Headers in which other clients name their session. */
const SESSION_HEADERS = ['x-session-id', 'x-session-affinity'] as const
const SESSION_ID = /^[\w.:-]{8,128}$/

/** Returns the session that another client names in a header or in `metadata.user_id`. */
function foreignSession(headers: RawHeaders, userId: Json | undefined): string | null {
  const ofUser = /^session_.+/.exec(stringOf(userId) ?? '')?.[0] ?? null
  const told = [...SESSION_HEADERS.map((name) => headerOf(headers, name)), ofUser]
  return told.find((id) => id !== null && SESSION_ID.test(id)) ?? null
}

function userIdOf(userId: Json | undefined): { readonly session: string | null; readonly account: string | null } {
  const text = stringOf(userId)
  if (text === null) return { session: null, account: null }
  const parsed = text.startsWith('{') ? parseJson(text) : undefined
  if (isObject(parsed))
    return { session: filledString(parsed['session_id']), account: filledString(parsed['account_uuid']) }
  const older = /^user_[^_]*(?:_account_([^_]*))?_session_(.+)$/.exec(text)
  return { session: filledString(older?.[2]), account: filledString(older?.[1]) }
}

const keyOf = (headers: RawHeaders): string | null =>
  headerOf(headers, 'x-api-key') ?? bearerOf(headerOf(headers, 'authorization'))

const bearerOf = (authorization: string | null): string | null =>
  authorization === null ? null : filledString(authorization.replace(/^Bearer\s+/i, ''))

/**
 * Identifies the beginning of a conversation whose caller names no session, such as a bare SDK. Each request repeats
 * its conversation, so its first message is always there; key, program and `metadata.user_id` distinguish equal ones.
 * The recorder distinguishes conversations with the same beginning (`UnnamedSessions`).
 */
export function beginningOf(
  caller: { readonly headers: RawHeaders; readonly body: Json | null },
  hash: HashText,
): string {
  const body = objectOf(caller.body)
  const [first] = listOf(body['messages'])
  const parts = [
    keyOf(caller.headers),
    headerOf(caller.headers, 'user-agent'),
    stringOf(objectOf(body['metadata'])['user_id']),
    first === undefined ? null : comparable(first),
  ]
  return `unnamed-${hash(JSON.stringify(parts)).slice(0, 12)}`
}

/**
 * Returns a message without the parts that may change when it is sent again: `cache_control`, reminders, and a text
 * given as a string or as a block.
 */
function comparable(message: Json): Json {
  const { role, content } = objectOf(message)
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
  return [
    role ?? null,
    blocks
      .filter((block) => !isReminder(stringOf(objectOf(block)['text']) ?? ''))
      .map((block) =>
        isObject(block)
          ? Object.fromEntries(Object.entries(block).filter(([name]) => name !== 'cache_control'))
          : block,
      ),
  ]
}

const DIRECTORY = /(?:Primary working directory|Working directory): ([^\n]+)/
/** A message that names the folder, and one with its change when a session goes on in another (2.1.332). */
const ENVIRONMENT = /^(?:<system-reminder>\s*)?# Environment(?: update)?\n[^]*?Primary working directory: ([^\n]+)/
const MOVE = /^(.*?) \(was (.*)\)$/

/**
 * Reads the working directory from the newest environment message that is not a move between a repository and its
 * worktrees, or else from the system prompt, a system message, or a reminder at the beginning of a user message. Only
 * there: a prompt may quote such a line.
 */
function workingDirectory(body: { readonly [key: string]: Json }): string | null {
  const messages = listOf(body['messages'])
  let newest: string | null = null
  for (let at = messages.length - 1; at >= 0; at -= 1)
    for (const text of environmentTexts(messages[at])) {
      const line = ENVIRONMENT.exec(text)?.[1]?.trim()
      if (!line) continue
      const [, folder = line, was = null] = (text.includes('# Environment update\n') && MOVE.exec(line)) || []
      newest ??= folder
      if (was === null || mainFolderOf(folder) !== mainFolderOf(was)) return folder
    }
  if (newest !== null) return newest
  const ends = [
    ...messages.slice(0, MESSAGES_LOOKED_AT),
    ...messages.slice(MESSAGES_LOOKED_AT).slice(-MESSAGES_LOOKED_AT),
  ]
  for (const text of [...textsOf(body['system']), ...ends.flatMap(environmentTexts)]) {
    const found = DIRECTORY.exec(text)?.[1]?.trim()
    if (found) return found
  }
  return null
}

/** Each request repeats a history that may have thousands of messages: of other texts, only both ends are read. */
const MESSAGES_LOOKED_AT = 20

function environmentTexts(message: Json | undefined): readonly string[] {
  const { role, content } = objectOf(message)
  if (role !== 'system' && role !== 'user') return []
  const texts = textsOf(content).map((text) => text.trimStart())
  return role === 'system' ? texts : texts.filter((text) => text.startsWith('<system-reminder>'))
}
