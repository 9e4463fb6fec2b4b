import { visibleText } from './visible-text.ts'

/** Returns the first text of a tool's input. The input is truncated, so it cannot be parsed as JSON. */
export function inputLine(summary: string): string {
  const first = /^\{(?:"[^"\\]+":(?:true|false|null|-?[\d.]+),)*"[^"\\]+":"((?:[^"\\]|\\.)*)/.exec(summary)?.[1]
  return visibleText(first === undefined ? summary : first.replaceAll('\\n', ' ').replaceAll(/\\(.)/g, '$1'))
}

/** Returns an event's text with the first text of a tool's input in the place of its JSON: `Bash npm test`. */
export const eventLine = (text: string): string =>
  text.replace(/^(\S+ )?(\{".*)$/s, (_all, tool: string | undefined, input: string) => (tool ?? '') + inputLine(input))
