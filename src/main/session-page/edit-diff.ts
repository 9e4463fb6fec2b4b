import { escaped, shown } from './html-text.ts'

type Fields = { readonly [key: string]: unknown }

/** Formats the edits in a tool's input as a diff, recognized by shape; null if the input is not an edit. */
export function editDiff(input: unknown): string | null {
  const patch = patchOf(input)
  if (patch !== null) return diffHtml(patch.split('\n'))
  if (!isFields(input)) return null
  const edits = Array.isArray(input['edits']) ? input['edits'].filter(isFields) : [input]
  const lines = edits.flatMap((edit) => changedLines(edit))
  return lines.length === 0 ? null : diffHtml(lines)
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A patch in the form of Codex's apply_patch. */
function patchOf(input: unknown): string | null {
  const text = isFields(input) ? (input['patch'] ?? input['input']) : input
  return typeof text === 'string' && text.startsWith('*** Begin Patch') ? text : null
}

function changedLines({ old_string: before, new_string: after, content, file_path: path }: Fields): string[] {
  if (typeof before === 'string' && typeof after === 'string') return lineDiff(before.split('\n'), after.split('\n'))
  return typeof content === 'string' && typeof path === 'string' ? content.split('\n').map((line) => `+${line}`) : []
}

/** Removed and added lines between the lines that both texts begin and end with. */
function lineDiff(before: readonly string[], after: readonly string[]): string[] {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start += 1
  let end = 0
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  return [
    ...before.slice(0, start).map((line) => ` ${line}`),
    ...before.slice(start, before.length - end).map((line) => `-${line}`),
    ...after.slice(start, after.length - end).map((line) => `+${line}`),
    ...before.slice(before.length - end).map((line) => ` ${line}`),
  ]
}

function diffHtml(lines: readonly string[]): string {
  const { text, note } = shown(lines.join('\n'))
  const html = text.split('\n').map((line) => {
    if (line.startsWith('+')) return `<ins>${escaped(line)}</ins>`
    return line.startsWith('-') ? `<del>${escaped(line)}</del>` : escaped(line)
  })
  return `<pre class="diff">${html.join('\n')}</pre>${note}`
}
