import { filledString, listOf, objectOf } from '../../../../shared/json-fields.ts'
import { headerOf } from '../../headers.ts'
import { askedType } from '../claude-code/agents.ts'
import { lastUserText, textsOf } from '../message-texts.ts'
import type { WireClient } from '../wire-client.ts'

const MAIN = /^You are Qwen Code, /
const SUMMARIZING = /^You are the component that summarizes /
/** Requests about the conversation, with a copy of it: they keep memories of it. */
const ASIDE = /^You are now acting as the managed memory/

/** Returns our id of a session that Qwen Code names by a bare UUID. */
export const qwenSession = (id: string): string => `qwen-${id}`

/**
 * Qwen Code (0.15.10, 0.24.4). Since 0.24 it sends the user agent of Claude Code, with its own version. Its requests
 * name no session. Subagents have system prompts of their own, and the same first message as the main agent.
 */
export const qwenCode: WireClient = {
  name: 'qwen-code',
  userAgent: /^QwenCode\/(\d\S*) /,
  opening: /^(?:You are Qwen Code, |(?:<system-reminder>\s*)?This is the Qwen Code\. We are setting up the context)/,
  directory: /I'm currently working in (?:the directory: |the following directories:\n\s*- )([^\n]+)/,
  versionOf: ({ headers }) => /^claude-cli\/(\S+)/.exec(headerOf(headers, 'user-agent') ?? '')?.[1] ?? null,
  kindOf({ body }) {
    const [system = ''] = textsOf(objectOf(body)['system'])
    if (SUMMARIZING.test(system) || SUMMARIZING.test(lastUserText(body))) return 'compaction'
    if (MAIN.test(system)) return null
    if (ASIDE.test(system) || listOf(objectOf(body)['tools']).length === 0) return 'side_call'
    return 'subagent'
  },
  endedAgent({ callId, name, input, text }) {
    const type = askedType(input)
    if (name !== 'agent' || type === null || text.startsWith('Background agent launched')) return null
    return { id: `${type}-${callId}`, type, lastText: filledString(text), failed: false }
  },
  ownAnswer: 'Got it. Thanks for the additional context!',
  summaries: ['<state_snapshot>'],
  sentences: ['This is the Qwen Code. We are setting up the context for our chat.'],
}
