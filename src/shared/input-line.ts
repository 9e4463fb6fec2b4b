import { visibleText } from './visible-text.ts'

/** An input up to its first field with a text or a list of words, other than one that only says of which type it is. */
const FIRST =
  /^\{(?:"[^"\\]+":(?:true|false|null|-?[\d.]+),|"type":"\w+",)*"[^"\\]+":(?:"((?:[^"\\]|\\.)*)|\[((?:"(?:[^"\\]|\\.)*"?,?)+))/

/** After names and other values, a text that does not name one; its end may be cut off. */
const FIRST_TEXT = /^(?=[[{])(?:[[{]|"[^"\\]+":(?:(?:true|false|null|-?[\d.]+),)?)*"((?:[^"\\]|\\.)*)(?:"(?!:)|\\?$)/

/** Returns the words of a list in a line, without the shell that runs them. */
const lineOf = (list: string | undefined): string | undefined =>
  list
    ?.replaceAll('","', ' ')
    .replaceAll(/^"|"?,?$/g, '')
    .replace(/^\S*sh -\w*c /, '')

/** Returns the first text of a tool's input. The input is truncated, so it cannot be parsed as JSON. */
export function inputLine(summary: string): string {
  const [, text, list] = FIRST.exec(summary) ?? []
  const first = text ?? lineOf(list) ?? FIRST_TEXT.exec(summary)?.[1]
  const left = /^\{"requests-limit":(\d+),"requests-remaining":(\d+)/.exec(summary)
  if (left !== null) return `${left[2]} of ${left[1]} requests left`
  return visibleText(first === undefined ? summary : unescaped(first))
}

/**
 * Returns what the source of a JSON string means, in one line, with other control characters as they are written. Each escape
 * is read once, from left to right: `\\n` is a backslash and a letter. The last escape may be cut.
 */
const unescaped = (source: string): string =>
  source.replaceAll(/\\(?:u([\da-f]{4})|u[\da-f]{0,3}$|(.))/gi, (escape, code: string | undefined, sign = '') => {
    if (code === undefined) return /[bfnrt]/.test(sign) ? ' ' : sign
    const written = String.fromCharCode(Number.parseInt(code, 16))
    return /\p{Cc}/u.test(written) ? escape : written
  })

/** What a task of a list is about. */
const SUBJECT = /"subject":"((?:[^"\\]|\\.)*)/g

/** Kinds of events whose text has JSON that Aspy wrote there; in others, it is somebody's words. */
const WITH_JSON: ReadonlySet<string> = new Set(['tool_call', 'rate_limit', 'state_change'])

/** Returns an event's text, with the first text of a tool's input in the place of its JSON: `Bash npm test`. */
export function eventLine({ kind, text }: { readonly kind: string; readonly text: string }): string {
  if (kind === 'task_update') return Array.from(text.matchAll(SUBJECT), ([, said = '']) => unescaped(said)).join(' · ')
  if (!WITH_JSON.has(kind)) return text
  return text.replace(
    /^(\S+ )?(\{".*)$/s,
    (_, tool: string | undefined, input: string) => (tool ?? '') + inputLine(input),
  )
}
