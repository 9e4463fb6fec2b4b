import { filledString, listOf, objectOf } from '../../../../shared/json-fields.ts'
import { lastUserText, textsOf } from '../message-texts.ts'
import type { ClientRequest, WireClient } from '../wire-client.ts'

const SUBAGENT = /\nYou are now running as a subagent\./
const HANDOFF = /^You are about to run out of context\. Create a handoff summary/

const isSubagent = ({ body }: ClientRequest): boolean =>
  textsOf(objectOf(body)['system']).some((text) => SUBAGENT.test(text))

/** Kimi Code (2.1.0). Its subagents send the session's id and no id of their own; their first message tells them apart. */
export const kimiCode: WireClient = {
  name: 'kimi-code',
  userAgent: /^kimi-code-cli\/(\d\S*)$/,
  opening: /^You are Kimi Code CLI, /,
  directory: /\nThe current working directory is `([^`\n]+)`/,
  senderOf(request, hash) {
    const { metadata, messages } = objectOf(request.body)
    const sessionId = /^session_[\w-]{8,128}$/.exec(filledString(objectOf(metadata)['user_id']) ?? '')?.[0]
    if (sessionId === undefined) return null
    const [prompt = ''] = textsOf(objectOf(listOf(messages)[0])['content'])
    return { sessionId, agentId: isSubagent(request) ? `${sessionId}-${hash(prompt).slice(0, 12)}` : null }
  },
  kindOf(request) {
    if (isSubagent(request)) return 'subagent'
    return HANDOFF.test(lastUserText(request.body)) ? 'compaction' : null
  },
  summaries: ['The conversation so far has been compacted to free up context.'],
}
