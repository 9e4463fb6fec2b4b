import { countLines } from '../../shared/change-lines.ts'
import type { Json } from '../../shared/json.ts'
import { toolShape } from '../../shared/tool-shape.ts'

/** A call, as far as its effect can be read from it. */
export interface CallInput {
  readonly tool_name: string
  readonly input: Json
}

/** Effect of a tool call on the project. */
export type ToolAction =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'edit'; readonly path: string; readonly added: number; readonly removed: number }

/** Returns the command or edit of a call, the first of several edits; null if it has neither. */
export const actionOf = (call: CallInput): ToolAction | null => actionsOf(call)[0] ?? null

/** Returns the actions of a call: one command, or one edit per file. */
export function actionsOf({ tool_name, input }: CallInput): readonly ToolAction[] {
  const shape = toolShape(tool_name, input)
  if (shape.kind === 'command') return [{ kind: 'command', command: shape.command.trim() }]
  if (shape.kind !== 'edit') return []
  return shape.files.map(({ path, parts }) => ({ kind: 'edit', path, ...countLines(parts) }))
}

/** Formats the outcome of a call in a word. */
export function outcomeWord(step: { readonly success: boolean | null; readonly rejected: boolean }): string {
  if (step.rejected) return 'refused'
  return step.success === null ? 'no result' : step.success ? 'ok' : 'failed'
}
