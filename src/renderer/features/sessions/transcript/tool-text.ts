import type { Json } from '../../../../shared/event.ts'
import { visibleText } from '../../../../shared/visible-text.ts'

/** A replacement made by an edit tool. */
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

/** Returns the argument that best describes a call, such as its command, path or pattern. */
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

/** Returns the edits of Edit and MultiEdit calls, and a Write as one addition. */
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

/** Formats a result's output: joins text blocks and shows anything else as JSON. */
export function outputText(output: Json): string {
  if (typeof output === 'string') return output
  if (Array.isArray(output)) {
    return output.map((block: Json) => text(record(block)['text']) ?? JSON.stringify(block, null, 2)).join('\n')
  }
  return output === null ? '' : JSON.stringify(output, null, 2)
}

/** Removes terminal colors and control characters, which are noise or spoofing on a page. */
export function withoutControls(output: string): string {
  // oxlint-disable-next-line no-control-regex
  return visibleText(output).replaceAll(/\u001B\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000B-\u001F\u007F]/g, '')
}

/** Returns a file's extension, as its language. */
export function languageOf(path: string): string | undefined {
  return /\.(\w+)$/.exec(path)?.[1]
}
