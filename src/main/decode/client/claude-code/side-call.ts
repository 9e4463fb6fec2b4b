import type { Json } from '../../../../shared/event.ts'
import { listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import type { RawHeaders } from '../../../proxy/protocol/tap-protocol.ts'
import { headerOf } from '../../headers.ts'
import { isSideCallSentence, WEB_SEARCH_REQUEST } from './client-sentences.ts'
import { promptText, type UserInput } from './prompt-text.ts'
import { hasClaudeCodeMark, IDENTITY } from './session-identity.ts'
import { textsOf } from '../message-texts.ts'

/** The classes that the client gives its own requests if it sends hints to gateways (2.1.332). */
const CLASSES: readonly (readonly [header: string, values: readonly string[]])[] = [
  ['x-claude-code-request-class', ['auxiliary', 'side_reply']],
  ['x-claude-1p-request-class', ['followup-generation', 'summary-extraction']],
]

/** The command with which a person asks beside the conversation. */
const SIDE_QUESTION = '/btw'
const ASKED_BY_USER = 'This is a side question from the user.'
const REMINDERS = /<system-reminder(?: [^>\n]*)?>[\s\S]*?<\/system-reminder>/g

/**
 * True if the client repeats the conversation to ask something beside it: a suggestion, a recap, a side question. The
 * request says so in a header or in its last message before any results of calls.
 */
export function isAskedAside(messages: readonly Json[], headers: RawHeaders): boolean {
  if (CLASSES.some(([header, values]) => values.includes(headerOf(headers, header) ?? ''))) return true
  return askedAside(messages) !== undefined
}

/** Returns the question that a person asked beside the conversation, as typed; null if a request has none. */
export function sideQuestion(messages: readonly Json[]): UserInput | null {
  const said = askedAside(messages)
  const content: readonly Json[] = typeof said === 'string' ? [{ type: 'text', text: said }] : listOf(said)
  const at = content.findIndex((block) => textsOf([block]).some((text) => text.includes(ASKED_BY_USER)))
  if (at < 0) return null
  // What is before it is the prompt of the turn that goes on, if that has no answer yet.
  const own = content.slice(at)
  const question = textsOf(own)
    .map((text) => promptText(text.replace(REMINDERS, '')))
    .filter((text) => text !== '')
    .join('\n')
  const media = own.filter((block) => ['image', 'document'].includes(stringOf(objectOf(block)['type']) ?? ''))
  return { text: `${SIDE_QUESTION} ${question}`.trim(), media, seen: 'now', as: 'side_question' }
}

/** Returns the content of the message that asks something beside the conversation. Calls may follow it. */
function askedAside(messages: readonly Json[]): Json | undefined {
  for (const message of messages.toReversed()) {
    const { role, content } = objectOf(message)
    if (role !== 'user') continue
    if (textsOf(content).some(isSideCallSentence)) return content
    if (!listOf(content).some((block) => objectOf(block)['type'] === 'tool_result')) return undefined
  }
  return undefined
}

/** Titles, summaries, suggestions, classifiers: the client's own requests, outside the conversation. */
export function isSideCall(
  body: { readonly [key: string]: Json },
  system: readonly string[],
  headers: RawHeaders,
): boolean {
  if (isWebSearch(body)) return true
  if (!hasClaudeCodeMark(headers, body)) return false
  // Without its own identity in the system prompt, the client is not holding a conversation.
  const isConversation = system.some((text) => IDENTITY.test(text))
  const hasTools = listOf(body['tools']).length > 0
  const { format } = objectOf(body['output_config'])
  // A conversation may ask for a format, too, but has tools.
  return objectOf(format)['type'] === 'json_schema' ? !(isConversation && hasTools) : !isConversation && !hasTools
}

/** The WebSearch tool queries a model separately, with the API's search as its only tool. */
function isWebSearch(body: { readonly [key: string]: Json }): boolean {
  const [tool, ...others] = listOf(body['tools']).map(objectOf)
  if (others.length > 0 || !(stringOf(tool?.['type']) ?? '').startsWith('web_search_')) return false
  const [asked] = listOf(body['messages']).map(objectOf)
  return textsOf(asked?.['content']).some((text) => text.trim().startsWith(WEB_SEARCH_REQUEST))
}
