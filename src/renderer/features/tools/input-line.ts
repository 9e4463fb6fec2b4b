import { visibleText } from '../../../shared/visible-text.ts'

/** Returns the first string of a tool's input. The input is truncated, so it cannot be parsed as JSON. */
export function inputLine(summary: string): string {
  const first = /^\{"\w+":"((?:[^"\\]|\\.)*)/.exec(summary)?.[1]
  return visibleText(first === undefined ? summary : first.replaceAll('\\n', ' ').replaceAll(/\\(.)/g, '$1'))
}
