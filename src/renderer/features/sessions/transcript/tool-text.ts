import type { AspyEvent, Json } from '../../../../shared/event.ts'
import { shapeSummary, toolShape } from '../../../../shared/tool-shape.ts'

/** Returns the argument that best describes a call, such as its command, path or pattern. */
export const mainArgument = (input: Json): string => shapeSummary(toolShape('', input))

/** Whether a call ended with an error. */
export const hasFailed = (result: AspyEvent<'tool_result'> | null | undefined): boolean =>
  result !== null && result !== undefined && (result.payload.is_error || result.success === false)
