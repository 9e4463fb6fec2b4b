import { objectOf } from '../../../../shared/json-fields.ts'
import { headerOf } from '../../headers.ts'
import { askedType } from '../claude-code/agents.ts'
import { textsOf } from '../message-texts.ts'
import type { ClientRequest, WireClient } from '../wire-client.ts'

const TITLE = /^You are a title generator\./
const SUMMARIZING = /^You are a (?:context summarization agent|helpful AI assistant tasked with summarizing)/

const hasSystem = ({ body }: ClientRequest, opening: RegExp): boolean =>
  textsOf(objectOf(body)['system']).some((text) => opening.test(text))

/** OpenCode (1.18.34). A subagent is a session of its own that names its parent. */
export const opencode: WireClient = {
  name: 'opencode',
  userAgent: /^opencode\/(\S+)(?: |$)/,
  isMarked: (headers) => headerOf(headers, 'x-opencode-session-id') !== null,
  opening: /^You are OpenCode, /i,
  directory: /\n\s*Working directory: ([^\n]+)/,
  senderOf({ headers }) {
    const own = headerOf(headers, 'x-opencode-session-id') ?? headerOf(headers, 'x-session-id')
    if (own === null || !/^ses_\w{8,128}$/.test(own)) return null
    const parent = headerOf(headers, 'x-parent-session-id')
    if (parent === null || !/^ses_\w{8,128}$/.test(parent)) return { sessionId: own, agentId: null }
    return { sessionId: parent, agentId: own }
  },
  kindOf(request) {
    if (hasSystem(request, TITLE)) return 'side_call'
    if (headerOf(request.headers, 'x-parent-session-id') !== null) return 'subagent'
    return hasSystem(request, SUMMARIZING) ? 'compaction' : null
  },
  endedAgent({ name, input, text }) {
    const [, id, state] = /^<task id="(ses_\w{8,128})" state="(completed|error|failed)">/.exec(text) ?? []
    if (name !== 'task' || id === undefined) return null
    const lastText = /<task_(?:result|error)>\n?([\s\S]*?)\n?<\/task_(?:result|error)>/.exec(text)?.[1] ?? null
    return { id, type: askedType(input), lastText, failed: state !== 'completed' }
  },
  isTitle: (request) => hasSystem(request, TITLE),
  summaries: ['What did we do so far?'],
  sentences: ['Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.'],
}
