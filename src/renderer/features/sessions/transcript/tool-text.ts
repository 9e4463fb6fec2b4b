import type { AspyEvent, Json } from '../../../../shared/event.ts'
import { mcpToolOf, shapeSummary, toolShape } from '../../../../shared/tool-shape.ts'
import { visibleText } from '../../../../shared/visible-text.ts'

/** Returns the argument that best describes a call, such as its command, path or pattern. */
export function mainArgument(input: Json): string {
  return shapeSummary(toolShape('', input))
}

/** Whether a call ended with an error. */
export function hasFailed(result: AspyEvent<'tool_result'> | null | undefined): boolean {
  return result !== null && result !== undefined && (result.payload.is_error || result.success === false)
}

/** Returns a tool's name, with its server if it has one. */
export function nameOf(toolName: string): string {
  const mcp = mcpToolOf(toolName)
  return visibleText(mcp === null ? toolName : `${mcp.server} · ${mcp.tool}`)
}
