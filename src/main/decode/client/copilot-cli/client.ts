import { filledString, objectOf } from '../../../../shared/json-fields.ts'
import { headerOf } from '../../headers.ts'
import { askedType } from '../claude-code/agents.ts'
import { textsOf } from '../message-texts.ts'
import type { WireClient } from '../wire-client.ts'

/** The header with which Copilot CLI says what a request is for; its user agent is the SDK's. */
const PURPOSE = 'x-interaction-type'
const SESSION = /\nSession folder: [^\n]*[\\/]session-state[\\/]([\da-f-]{36})(?:\n|$)/i

/** Returns our id of a session that Copilot CLI names by a bare UUID. */
export const copilotSession = (id: string): string => `copilot-${id}`

/** Returns our id of an agent, made from its call: its requests have none. */
export const copilotAgent = (type: string, callId: string): string => `${type}-${callId}`

/** Copilot CLI (1.0.102). Only its main agent names the session, a bare UUID, as a folder in the system prompt. */
export const copilotCli: WireClient = {
  name: 'copilot-cli',
  isMarked: (headers) =>
    (headerOf(headers, PURPOSE) ?? '').startsWith('conversation-') &&
    /^(?:Anthropic\/|$)/.test(headerOf(headers, 'user-agent') ?? ''),
  opening: /^You are the GitHub Copilot CLI, /,
  directory: /\n\* Current working directory: ([^\n]+)/,
  versionOf: ({ body }) =>
    textsOf(objectOf(body)['system']).flatMap(
      (text) => /<version_information>Version number: (\S+?)<\/version_information>/.exec(text)?.[1] ?? [],
    )[0] ?? null,
  senderOf({ body }) {
    const [sessionId] = textsOf(objectOf(body)['system']).flatMap((text) => SESSION.exec(text)?.[1] ?? [])
    return sessionId === undefined ? null : { sessionId: copilotSession(sessionId), agentId: null }
  },
  // The request for a summary leaves the folder out.
  namesSome: true,
  kindOf({ headers }) {
    const purpose = headerOf(headers, PURPOSE)
    if (purpose === 'conversation-subagent') return 'subagent'
    return purpose === 'conversation-compaction' ? 'compaction' : null
  },
  endedAgent({ callId, name, input, text }) {
    const type = askedType(input) ?? filledString(input['agent_type'])
    if (name !== 'task' || type === null || input['mode'] === 'background') return null
    return { id: copilotAgent(type, callId), type, lastText: filledString(text), failed: false }
  },
  mark: /^<current_datetime>[^<]*<\/current_datetime>\s*/,
}
