import type { OperationOutput } from '../../../shared/contract/index.ts'
import { knownCost } from '../../../shared/known-figures.ts'
import { assistantLabel } from '../../../shared/vendors.ts'
import type { Exported } from '../../session-page/exported.ts'
import { counted, dollars } from '../table.ts'

/** Writes a session as Markdown: prompts, thinking, tool calls and answers. */
export async function* markdown(
  session: OperationOutput<'sessions.get'>,
  events: AsyncIterable<Exported>,
): AsyncGenerator<string> {
  const where = session.project === null ? '' : ` in \`${session.project}\``
  const cost = knownCost(session)
  yield `# ${oneLine(session.title ?? session.id)}\n\n${session.started_at}${where}, ${counted(session.prompts, 'prompt')}, ${cost === null ? 'cost unknown' : dollars(cost)}${clientTotal(session)}\n`
  for await (const { event } of events) {
    const part = partOf(event.kind, event.payload, assistantLabel(session.client))
    if (part === null) continue
    const agent = event.agent_id === null ? '' : ` (agent ${event.agent_id})`
    yield `\n${part.title === null ? '' : `## ${part.title}${agent} · ${event.ts_wall}\n\n`}${part.text}\n`
  }
}

/** The client's own total if it differs from the list price by a cent or more. */
function clientTotal({ total_cost_usd: listed, client_cost_usd: own }: OperationOutput<'sessions.get'>): string {
  return own === null || dollars(own) === dollars(listed)
    ? ''
    : ` at list price, ${dollars(own)} by Claude Code's count`
}

function partOf(
  kind: string,
  payload: { readonly [key: string]: unknown },
  assistant: string,
): { readonly title: string | null; readonly text: string } | null {
  const text = typeof payload['text'] === 'string' ? payload['text'] : ''
  switch (kind) {
    case 'user_prompt':
      return { title: 'You', text }
    case 'assistant_text':
      return text === '' ? null : { title: assistant, text }
    case 'thinking':
      return text === '' ? null : { title: null, text: quoted(text) }
    case 'tool_call':
      return { title: null, text: `**${String(payload['tool_name'])}**\n\n${fenced(payload['input'])}` }
    case 'tool_result':
      return {
        title: null,
        text: `${payload['is_error'] === true ? 'Failed:' : 'Result:'}\n\n${fenced(payload['output'])}`,
      }
    case 'compaction':
      return { title: 'Compacted', text: quoted(String(payload['summary'])) }
    default:
      return null
  }
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ')
const quoted = (text: string) => text.replaceAll(/^/gm, '> ')

/** Wraps text in a code fence that is longer than any run of backticks in it. */
function fenced(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
