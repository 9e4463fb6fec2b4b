import { headerOf } from '../../headers.ts'
import { textsOf } from '../message-texts.ts'
import { objectOf } from '../../../../shared/json-fields.ts'
import type { WireClient } from '../wire-client.ts'

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i

/** With this system prompt, pi has a conversation or a branch summarized (1.6.0). */
const SUMMARIZING = /^You are a context summarization assistant\./

/** Returns our id of a session that pi names by a bare UUID. */
export const piSession = (id: string): string => `pi-${id}`

/**
 * pi (1.5.2, 1.6.0). With a Claude subscription it sends the user agent and the first system block of Claude Code. It
 * names its session, a bare UUID, only if `sendSessionAffinityHeaders` is set, or through `aspy run`.
 */
export const pi: WireClient = {
  name: 'pi',
  userAgent: /^pi\/(\d\S*)(?: \([^)]*(?:node|bun)\/[^)]*\))?$/,
  opening: /^You are (?:a|an expert) coding assistant (?:running|operating) inside pi, a coding agent harness/,
  directory: /(?:<cwd>\n|\nCurrent working directory: )([^\n]+)/,
  senderOf({ headers }) {
    const own = headerOf(headers, 'x-session-id') ?? headerOf(headers, 'x-session-affinity')
    return own !== null && UUID.test(own) ? { sessionId: piSession(own), agentId: null } : null
  },
  kindOf: ({ body }) =>
    textsOf(objectOf(body)['system']).some((text) => SUMMARIZING.test(text)) ? 'compaction' : null,
  summaries: ['The conversation history before this point was compacted into the following summary:'],
  sentences: ['The following is a summary of a branch that this conversation came back from:'],
}
