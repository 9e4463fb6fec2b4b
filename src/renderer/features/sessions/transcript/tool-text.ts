import type { Json } from '../../../../shared/event.ts'
import { shapeSummary, toolShape } from '../../../../shared/tool-shape.ts'

/** Returns the argument that best describes a call, such as its command, path or pattern. */
export function mainArgument(input: Json): string {
  return shapeSummary(toolShape('', input))
}

/** Shortens a path within the session's folder. */
export function shortPath(path: string, project: string | null): string {
  return project !== null && path.startsWith(`${project}/`) ? path.slice(project.length + 1) : path
}
