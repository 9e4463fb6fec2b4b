import type { Json, JsonObject } from '../../../shared/event.ts'

/** Tools of all clients whose result is the text of a file. */
export const READING_TOOLS: ReadonlySet<string> = new Set(['Read', 'NotebookRead'])

/** The file that a call of a tool names; null if it names none. */
export function calledFile(input: Json | undefined): string | null {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return null
  const { file_path: file, notebook_path: notebook } = input as JsonObject
  if (typeof file === 'string') return file
  return typeof notebook === 'string' ? notebook : null
}
