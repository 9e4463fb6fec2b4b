import type { Json, JsonObject } from '../../shared/json.ts'
import { commandIn, filesOf, toolShape } from '../../shared/tool-shape.ts'

/** Returns the mark that replaces a value. */
export type MarkValue = (value: string) => string

// A line of a .env file, with or without a viewer's line number. Matches within a line, so it is linear.
const LINE =
  /^([ \t]{0,12}(?:\d{1,7}(?:→|\t|:[ \t]?|[ \t]))?[ \t]{0,12}(?:export[ \t]+)?[A-Za-z_][\w.-]{0,100}[ \t]{0,8}=[ \t]{0,8})([^\r\n]*)/gm

/** A switch or a small number, which no secret is; rules by name come after this one. */
const SWITCH = /^(?:true|false|yes|no|on|off|null|none|\d{1,3})$/i

/** Replaces every value in the text of a .env file but switches; names, comments and layout stay. */
export function redactEnvValues(text: string, mark: MarkValue): string {
  let out = ''
  let done = 0
  LINE.lastIndex = 0
  for (let hit = LINE.exec(text); hit !== null; hit = LINE.exec(text)) {
    const [, name = '', value = ''] = hit
    const start = hit.index + name.length
    const end = valueEnd(text, start, start + value.length)
    const secret = text.slice(start, end)
    const [bare = '', quote = ''] = /^(["'`])[^]*\1$/.test(secret)
      ? [secret.slice(1, -1), secret[0]]
      : [secret.trimEnd()]
    if (bare !== '' && !SWITCH.test(bare) && !bare.includes('[redacted:'))
      out += text.slice(done, start) + quote + mark(bare) + quote + secret.slice(quote ? secret.length : bare.length)
    else out += text.slice(done, end)
    done = end
    LINE.lastIndex = Math.max(end, hit.index + 1)
  }
  return done === 0 ? text : out + text.slice(done)
}

/** Returns the end of a value. A quoted value may span lines; any other ends with its line, or before a comment. */
function valueEnd(text: string, start: number, lineEnd: number): number {
  const quote = text[start] ?? ''
  const line = text.slice(start, lineEnd)
  if (quote === '' || !'"\'`'.includes(quote)) {
    const comment = line.search(/[ \t]#/)
    return comment < 0 ? lineEnd : start + comment
  }
  const close = closingQuote(text, start + 1, quote)
  if (close < 0 || (close > lineEnd && opensNext(text, close, quote))) return lineEnd
  if (close >= lineEnd) return close + 1
  return /^[ \t]*(?:#|$)/.test(text.slice(close + 1, lineEnd)) ? close + 1 : lineEnd
}

/** True if a quote on a later line opens the value of that line, so that the earlier value is not closed. */
function opensNext(text: string, at: number, quote: string): boolean {
  const isAfterName = /[\r\n][^\r\n=]*=[ \t]*$/.test(text.slice(Math.max(0, at - 200), at))
  return isAfterName && /^[^\r\n]*/.exec(text.slice(at + 1, at + 1000))?.[0].includes(quote) === true
}

function closingQuote(text: string, from: number, quote: string): number {
  let at = text.indexOf(quote, from)
  if (quote !== '"') return at
  while (at > 0 && text[at - 1] === '\\') at = text.indexOf(quote, at + 1)
  return at
}

/** Checks whether a tool's path or command shows a .env file: `.env`, `.env.local`, `prod.env`; not `.env.example`. */
export function showsEnvFile(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false
  if (filesOf(toolShape('', input as Json)).some(({ path }) => isEnvFile(path))) return true
  const command = commandIn(input as JsonObject)
  // Any word of a command counts: cat, head, grep, docker --env-file …
  return (
    command?.includes('.env') === true &&
    command
      .slice(0, 20_000)
      .split(/[\s;|&<>"'`()=]+/)
      .some(isEnvFile)
  )
}

const isEnvFile = (path: string) =>
  path.includes('.env') &&
  /(?:^|[/\\])(?:\.env(?:\.[\w-]{1,40}){0,3}|[\w.-]{1,80}\.env|\.envrc)$/.test(path) &&
  !/\.(?:example|sample|template|dist|schema)$/.test(path)
