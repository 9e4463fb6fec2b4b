import { changesOf } from '../../shared/file-change.ts'
import { isObject } from '../../shared/json-fields.ts'
import type { Json } from '../../shared/json.ts'
import { shortPath } from '../../shared/short-path.ts'
import { withoutAnsi } from '../../shared/terminal-text.ts'
import { commandOutput, fileLines, outputText, withoutErrorTags } from '../../shared/tool-output.ts'
import { shapeSummary, toolLabel, type ToolShape, toolShape } from '../../shared/tool-shape.ts'
import { editCounts, editDiff } from './edit-diff.ts'
import type { Exported } from './exported.ts'
import { count, textSize } from './figures.ts'
import { escaped, note, plainText, preformatted } from './html-text.ts'
import { markdownHtml } from './markdown-html.ts'
import { mediaNote } from './media-placeholder.ts'
import type { Payload } from './settled-item.ts'

/** A call with its result, as its row and what it unfolds to need them. */
export type ToolCall = ReturnType<typeof toolCall>

/** Shapes whose body is short and more informative than their row. */
const OPEN: ReadonlySet<ToolShape['kind']> = new Set(['edit', 'todo', 'question'])

/** Reads a call and its result. `folder`: the session's, from which paths are written. */
export function toolCall({ event }: Exported, answer: Exported | null, folder: string | null) {
  const project = folder ?? event.project
  const payload: Payload = event.payload
  const toolName = typeof payload['tool_name'] === 'string' ? payload['tool_name'] : 'Tool'
  const shape = toolShape(toolName, (payload['input'] ?? payload['digest'] ?? null) as Json)
  const result: Payload | null = answer?.event.payload ?? null
  const failed = result?.['is_error'] === true || answer?.event.success === false
  const text = withoutErrorTags(withoutAnsi(outputText((result?.['output'] ?? null) as Json)))
  const { text: output, exitCode } = shape.kind === 'command' ? commandOutput(text) : { text, exitCode: null }
  return {
    /** Name of the tool, or of the server and its tool. */
    name: toolLabel(toolName),
    summary: shortPath(shapeSummary(shape), project),
    shape,
    result,
    failed,
    rejected: result?.['rejected'] === true,
    leftOut: result?.['left_out'] === true,
    /** Text of its output, without the frame that its client wrote around it. */
    output,
    exitCode,
    files: shape.kind === 'edit' ? changesOf(shape.files, failed ? undefined : (result?.['detail'] as Json)) : [],
    project,
    tookMs: answer?.event.duration_ms ?? null,
  }
}

/** Returns the call in one line: the tool, its main argument, the size of what it did, and its outcome. */
export function toolSummary(call: ToolCall): string {
  const { name, summary, shape } = call
  const size = shape.kind === 'edit' && !call.failed ? linesHtml(editCounts(call.files)) : sizeHtml(call)
  const code = call.exitCode === null || call.exitCode === 0 ? '' : `<span class="bad">exit ${call.exitCode}</span>`
  return `<b class="name">${escaped(name)}</b> <code class="what">${escaped(summary)}</code> ${code}${size}${outcome(call)}`
}

/** Formats lines added and removed: `+3 −1`, or one of them. */
export function linesHtml({ added, removed }: { readonly added: number; readonly removed: number }): string {
  const more = added > 0 || removed === 0 ? [`<span class="good">+${count(added)}</span>`] : []
  const less = removed > 0 ? [`<span class="bad">−${count(removed)}</span>`] : []
  return `<span class="size">${[...more, ...less].join(' ')}</span>`
}

function sizeHtml({ result, leftOut, output, shape }: ToolCall): string {
  if (result === null || leftOut || OPEN.has(shape.kind)) return ''
  return `<span class="size">${escaped(textSize(output))}</span>`
}

function outcome({ result, failed, rejected }: ToolCall): string {
  if (result === null) return '<span class="outcome soft">no result</span>'
  if (rejected) return '<span class="outcome warn">refused</span>'
  return failed ? '<span class="outcome bad">✗ failed</span>' : '<span class="outcome good">✓ ok</span>'
}

export const isOpen = ({ shape, failed }: ToolCall): boolean => OPEN.has(shape.kind) || failed

/** Formats what a call was given and what it returned, in the best form for its shape. */
export function toolBody(call: ToolCall): string {
  const { shape, failed, result, files, project } = call
  const media = result === null ? '' : mediaNotes(result)
  switch (shape.kind) {
    case 'command':
      return preformatted(shape.command, 'command') + outputHtml(call) + media
    case 'read':
    case 'search':
      return outputHtml(call) + media
    case 'edit':
      // The result of an edit repeats the lines of its diff.
      return editDiff(files, project) + (failed || call.leftOut ? outputHtml(call) : '') + media
    case 'todo':
      return `<ul class="plain-list">${shape.tasks.map(({ text, status }) => `<li>${BOXES.get(status) ?? '☐'} ${escaped(text)}</li>`).join('')}</ul>${failed ? outputHtml(call) : ''}`
    case 'question':
      return (
        shape.questions
          .map(
            ({ text, options }) =>
              `<p>${escaped(text)}</p><ul>${options.map(({ label }) => `<li>${escaped(label)}</li>`).join('')}</ul>`,
          )
          .join('') + outputHtml(call)
      )
    case 'agent':
      return markdownHtml(shape.prompt) + (failed || call.leftOut ? outputHtml(call) : markdownHtml(call.output))
    case 'web':
      return plainText(shape.about ?? '') + outputHtml(call) + media
    default:
      return fields(shape.fields) + outputHtml(call) + media
  }
}

const BOXES: ReadonlyMap<string, string> = new Map([
  ['completed', '☑'],
  ['in_progress', '◐'],
])

function outputHtml({ result, leftOut, output, shape, failed }: ToolCall): string {
  if (result === null) return note('no result recorded')
  if (leftOut) return note('output left out')
  if (output.trim() === '') return note('no output')
  return preformatted(shape.kind === 'read' ? numbered(output) : output, failed ? 'failed' : '')
}

/** Lines up the numbers that a tool wrote before the lines of a file. */
function numbered(output: string): string {
  const lines = fileLines(output)
  if (lines === null) return output
  const all = lines.code.split('\n')
  const width = String(lines.first + all.length).length
  return all.map((line, at) => `${String(lines.first + at).padStart(width)}  ${line}`).join('\n')
}

/** Lists each field of an input: texts as they are, the rest as JSON. */
function fields(value: Json): string {
  if (!isObject(value)) return value === null ? '' : preformatted(typeof value === 'string' ? value : json(value))
  const rows = Object.entries(value).map(
    ([name, one]) => `<dt>${escaped(name)}</dt><dd>${preformatted(typeof one === 'string' ? one : json(one))}</dd>`,
  )
  return rows.length === 0 ? '' : `<dl class="fields">${rows.join('')}</dl>`
}

const json = (value: Json | undefined): string => JSON.stringify(value, null, 2) ?? ''

/** Returns a note for each image or document of an event. */
export function mediaNotes(payload: Payload): string {
  const all: readonly unknown[] = Array.isArray(payload['media']) ? payload['media'] : []
  return all.map((one) => (isObject(one) ? note(mediaNote(one)) : '')).join('')
}
