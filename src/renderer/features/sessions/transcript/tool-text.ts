import type { Json } from '../../../../shared/event.ts'
import { shapeSummary, toolShape } from '../../../../shared/tool-shape.ts'

/** Returns the argument that best describes a call, such as its command, path or pattern. */
export function mainArgument(input: Json): string {
  return shapeSummary(toolShape('', input))
}
