import type { Exported } from './exported.ts'
import { settledPrompt } from './settled-prompt.ts'
import { mediaText } from './media-placeholder.ts'
import { editDiff } from './edit-diff.ts'
import { escaped, lightMarkdown, preformatted } from './html-text.ts'
import type { Json } from '../../shared/json.ts'
import { isObject } from '../../shared/json-fields.ts'
import { toolShape } from '../../shared/tool-shape.ts'

type Payload = { readonly [key: string]: unknown }

/** Formats an event as a part of the transcript; null for kinds that a transcript does not show. */
export function transcriptPart(item: Exported): string | null {
  const { event } = item
  const agent = event.agent_id === null ? '' : ` · agent ${escaped(event.agent_id)}`
  const part = (name: string, title: string, body: string) =>
    `<article class="${name}"><h3>${title}<small>${agent} · ${escaped(event.ts_wall)}</small></h3>${body}</article>\n`
  const { payload } = event
  switch (event.kind) {
    case 'user_prompt':
      return part('you', 'You', lightMarkdown(textOf(settledPrompt(item)['text'])) + media(payload))
    case 'assistant_text':
      return part('answer', 'Answer', lightMarkdown(textOf(payload['text'])))
    case 'thinking':
      return part('thinking', 'Thinking', folded(payload, lightMarkdown(textOf(payload['text']))))
    case 'tool_call':
      return part(
        'call',
        `Call: ${escaped(textOf(payload['tool_name']))}`,
        input(textOf(payload['tool_name']), (payload['input'] ?? null) as Json),
      )
    case 'tool_result':
      return part(
        payload['is_error'] === true ? 'result failed' : 'result',
        payload['is_error'] === true ? 'Failed' : 'Result',
        folded(payload, preformatted(outputText(payload['output']))) + media(payload),
      )
    case 'compaction':
      return part('compaction', 'Compacted', folded(payload, lightMarkdown(textOf(payload['summary']))))
    case 'error':
      return part('failed', 'Error', preformatted(textOf(payload['message'])))
    default:
      return null
  }
}

function folded(payload: Payload, body: string): string {
  if (payload['left_out'] === true) return '<p class="cut">left out</p>'
  return body === '' ? '' : `<details><summary>Show</summary>${body}</details>`
}

/** Fields that a command line, or a diff, shows already. */
const OF_COMMAND: ReadonlySet<string> = new Set(['command', 'cmd', 'commands'])
const OF_EDIT: ReadonlySet<string> = new Set([
  ...OF_COMMAND,
  'file_path',
  'notebook_path',
  'path',
  'input',
  'patch',
  'diff',
  'content',
  'new_source',
  'old_string',
  'new_string',
  'edits',
])

function input(toolName: string, value: Json): string {
  const shape = toolShape(toolName, value)
  const rest = (shown: ReadonlySet<string>) =>
    isObject(value) ? fields(Object.fromEntries(Object.entries(value).filter(([name]) => !shown.has(name)))) : ''
  if (shape.kind === 'edit') return rest(OF_EDIT) + editDiff(shape.files)
  if (shape.kind === 'command') return rest(OF_COMMAND) + preformatted(shape.command)
  return isObject(value) ? fields(value) : preformatted(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Lists each field of an input: short texts as they are, the rest as JSON. */
function fields(value: Payload): string {
  const rows = Object.entries(value).map(([name, one]) => {
    const text = typeof one === 'string' ? one : (JSON.stringify(one, null, 2) ?? '')
    return `<dt>${escaped(name)}</dt><dd>${preformatted(text)}</dd>`
  })
  return rows.length === 0 ? '' : `<dl>${rows.join('')}</dl>`
}

function outputText(output: unknown): string {
  if (typeof output === 'string') return output
  if (!Array.isArray(output)) return JSON.stringify(output, null, 2) ?? ''
  return output
    .map((block: unknown) => {
      if (isObject(block) && typeof block['text'] === 'string') return block['text']
      return isObject(block) && typeof block['hash'] === 'string' ? mediaText(block) : JSON.stringify(block)
    })
    .join('\n')
}

function media(payload: Payload): string {
  const all: readonly unknown[] = Array.isArray(payload['media']) ? payload['media'] : []
  return all.map((one) => (isObject(one) ? `<p class="cut">${escaped(mediaText(one))}</p>` : '')).join('')
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
