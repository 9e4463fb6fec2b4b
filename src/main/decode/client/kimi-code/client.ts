import { filledString, listOf, objectOf } from '../../../../shared/json-fields.ts'
import { lastUserText, textsOf } from '../message-texts.ts'
import type { HashText } from '../../media.ts'
import type { ClientRequest, WireClient } from '../wire-client.ts'

const SUBAGENT = /\nYou are now running as a subagent\./
const HANDOFF = /^You are about to run out of context\. Create a handoff summary/

const isSubagent = ({ body }: ClientRequest): boolean =>
  textsOf(objectOf(body)['system']).some((text) => SUBAGENT.test(text))

/** What Kimi Code says of the repository before an agent's prompt. */
const GIT_CONTEXT = /^<git-context(?: [^>]*\/>|[^>]*>[\s\S]*?<\/git-context>)\s*/

/** Returns our id of an agent, made from its prompt: its requests have none. */
export const kimiAgent = (sessionId: string, prompt: string, hash: HashText): string =>
  `${sessionId}-${hash(prompt.replace(GIT_CONTEXT, '')).slice(0, 12)}`

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
    return { sessionId, agentId: isSubagent(request) ? kimiAgent(sessionId, prompt, hash) : null }
  },
  kindOf(request) {
    if (isSubagent(request)) return 'subagent'
    return HANDOFF.test(lastUserText(request.body)) ? 'compaction' : null
  },
  endedAgent({ name, input, text }, sessionId, hash) {
    const status = /^agent_id: [\s\S]*?\nstatus: (\w+)$/m.exec(text)?.[1]
    const prompt = filledString(input['prompt'])
    // An agent that goes on with its work is known by its first prompt.
    if (name !== 'Agent' || prompt === null || input['resume'] !== undefined || !/^(?:compl|fail)/.test(status ?? ''))
      return null
    const lastText = /\n\[summary\]\n([\s\S]*?)(?:\n\nresume_hint: |$)/.exec(text)?.[1] ?? null
    const type = /^actual_subagent_type: (.+)$/m.exec(text)?.[1] ?? null
    return { id: kimiAgent(sessionId, prompt, hash), type, lastText, failed: status !== 'completed' }
  },
  mark: GIT_CONTEXT,
  summaries: ['The conversation so far has been compacted to free up context.'],
}
