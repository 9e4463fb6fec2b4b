import type { AspyEvent, Json } from '../../../../shared/event.ts'
import { shapeSummary, toolShape } from '../../../../shared/tool-shape.ts'

/** Returns the argument that best describes a call, such as its command, path or pattern. */
export function mainArgument(input: Json): string {
  return shapeSummary(toolShape('', input))
}

/** Whether a call ended with an error. */
export function hasFailed(result: AspyEvent<'tool_result'> | null | undefined): boolean {
  return result !== null && result !== undefined && (result.payload.is_error || result.success === false)
}
