import type { Json } from '../../../../shared/event.ts'

/** What an edit tool changed. */
export interface Edit {
  readonly before: string
  readonly after: string
}

function record(input: Json): { readonly [key: string]: Json } {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? (input as { readonly [key: string]: Json })
    : {}
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

/** The one argument that says what a call does: a command, a path, a pattern, … */
export function mainArgument(input: Json): string {
  const fields = record(input)
  for (const name of [
    'command',
    'file_path',
    'notebook_path',
    'path',
    'pattern',
    'query',
    'url',
    'description',
    'prompt',
    'skill',
  ]) {
    const value = text(fields[name])
    if (value !== null) return value.split('\n')[0] ?? ''
  }
  const shown = JSON.stringify(input)
  return shown === '{}' ? '' : shown.slice(0, 200)
}

/** The edits of a call, where it edits: Edit, MultiEdit, and a Write as all added. */
export function editsOf(toolName: string, input: Json): readonly Edit[] {
  const fields = record(input)
  const several = fields['edits']
  if (Array.isArray(several)) return several.flatMap((edit: Json) => oneEdit(record(edit)))
  if (toolName === 'Write') {
    const content = text(fields['content'])
    return content === null ? [] : [{ before: '', after: content }]
  }
  return oneEdit(fields)
}

function oneEdit(fields: { readonly [key: string]: Json }): Edit[] {
  const before = text(fields['old_string'])
  const after = text(fields['new_string'])
  return before === null || after === null ? [] : [{ before, after }]
}

/** A result's output as text: text blocks joined, anything else as JSON. */
export function outputText(output: Json): string {
  if (typeof output === 'string') return output
  if (Array.isArray(output)) {
    return output.map((block: Json) => text(record(block)['text']) ?? JSON.stringify(block, null, 2)).join('\n')
  }
  return output === null ? '' : JSON.stringify(output, null, 2)
}

/** Terminal colours and other control characters out: they would only be noise, or tricks, on a page. */
export function withoutControls(output: string): string {
  // oxlint-disable-next-line no-control-regex
  return output.replaceAll(/\u001B\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000B-\u001F\u007F]/g, '')
}

/** The language of a file by its extension. */
export function languageOf(path: string): string | undefined {
  return /\.(\w+)$/.exec(path)?.[1]
}
