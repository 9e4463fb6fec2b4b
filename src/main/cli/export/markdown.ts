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
  const where = session.project === null ? '' : ` in ${codeSpan(oneLine(session.project))}`
  const cost = knownCost(session)
  yield `# ${escaped(oneLine(session.title ?? session.id))}\n\n${session.started_at}${where}, ${counted(session.prompts, 'prompt')}, ${cost === null ? 'cost unknown' : dollars(cost)}${clientTotal(session)}\n`
  let [heading, isThought] = ['', false]
  for await (const { event } of events) {
    const part = partOf(event.kind, event.payload, assistantLabel(session.client))
    if (part === null) continue
    const agent = event.agent_id === null ? '' : ` (agent ${escaped(oneLine(event.agent_id))})`
    const title = `${part.title}${agent}`
    // An answer goes on under the heading of the thought before it, and calls under that of the answer.
    const isHeaded = title !== heading || (HEADED.has(event.kind) && !isThought)
    yield `\n${isHeaded ? `## ${title} · ${event.ts_wall}\n\n` : ''}${part.text}\n`
    heading = title
    isThought = event.kind === 'thinking'
  }
}

const HEADED: ReadonlySet<string> = new Set(['user_prompt', 'assistant_text', 'compaction'])

/** The client's own total if it differs from the list price by a cent or more. */
function clientTotal({ total_cost_usd: listed, client_cost_usd: own }: OperationOutput<'sessions.get'>): string {
  return own === null || dollars(own) === dollars(listed)
    ? ''
    : ` at list price, ${dollars(own)} by Claude Code's count`
}

function partOf(kind: string, payload: { readonly [key: string]: unknown }, assistant: string) {
  const text = typeof payload['text'] === 'string' ? payload['text'] : ''
  switch (kind) {
    case 'user_prompt':
      return { title: 'You', text: quoted(text) }
    case 'assistant_text':
      return text === '' ? null : { title: assistant, text: quoted(text) }
    case 'thinking':
      return text === '' ? null : { title: assistant, text: `*Thinking*\n\n${quoted(text)}` }
    case 'tool_call':
      return {
        title: assistant,
        text: `**${escaped(oneLine(String(payload['tool_name'])))}**\n\n${fenced(payload['input'])}`,
      }
    case 'tool_result':
      return {
        title: assistant,
        text: `${payload['rejected'] === true ? 'Refused:' : payload['is_error'] === true ? 'Failed:' : 'Result:'}\n\n${fenced(payload['output'])}`,
      }
    case 'compaction':
      return { title: 'Compacted', text: quoted(String(payload['summary'])) }
    default:
      return null
  }
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ')
/** A fence of its own line, and one inside a list or a quote, whose end only a parser can tell. */
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
const NESTED_FENCE = /^(?: {4,}|[ >]*\t|[ >]*(?:[-*+]|\d+[.)])[ \t]|[ ]*>).*(?:```|~~~)/m
/** A code span, which shows tags as they are, or the beginning of a tag or comment. Links in angle brackets stay. */
const SPAN_OR_TAG = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|<(?=[a-z/!?])(?!https?:|mailto:)/gi

const escaped = (line: string) => line.replaceAll(SPAN_OR_TAG, (found) => (found === '<' ? '&lt;' : found))

/**
 * Quotes a message, which closes within it whatever the message leaves open: code blocks, lists, headings. HTML is not
 * closed by the end of a quote, so it is shown instead.
 */
function quoted(text: string): string {
  const keepsCode = !NESTED_FENCE.test(text)
  let open: string | null = null
  const lines = text.split(/\r\n|\r|\n/).map((line) => {
    const [, mark = '', info = ''] = FENCE.exec(line) ?? []
    const isCode = open !== null || (mark !== '' && !(mark.startsWith('`') && info.includes('`')))
    if (open === null) open = isCode ? mark : null
    else if (mark.startsWith(open) && info.trim() === '') open = null
    return `> ${isCode && keepsCode ? line : escaped(line)}`
  })
  return lines.join('\n')
}

const longestRun = (text: string) => Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))

/** Shows text as code within a line, whatever backticks it has. */
function codeSpan(text: string): string {
  const run = longestRun(text)
  const mark = '`'.repeat(run + 1)
  return run === 0 ? `${mark}${text}${mark}` : `${mark} ${text} ${mark}`
}

/** Wraps text in a code fence that is longer than any run of backticks in it. */
function fenced(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}\n${text}\n${fence}`
}
