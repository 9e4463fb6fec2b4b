import { charClass, digits } from '../char-class.ts'
import type { Rule } from '../rule.ts'
import type { Span } from '../scanner.ts'
import { isDrawn, isPassword } from './nearby.ts'
import { isPlaceholder, isReference } from './placeholder.ts'

/** Text before a name in which its value may be. */
const REACH = 110
const SHORTEST = 8
const SPACE = 32
const letters = charClass('A-Za-z')
const ends = charClass(' \t\r\n\f\u00a0"\'`<>()[]{},;|\\«»“”„')
/** Says of itself what it is, and so has another name: of an id, a hash, an address. */
const OTHER_NAME =
  /(?:^|[^A-Za-z])(?:[\w-]*(?:id|ids|hash|sha\d*|commit|digest|etag|uuid|ref|rev|version|checksum|integrity|url|uri|path|nonce|cursor|trace|span|request|session|user\w*|name|email|host|type|image|data|public\w*|fingerprint))["'`\]]{0,2}[ \t]{0,4}[:=][ \t]{0,4}["'`]?$/i
const NAMED = /[\w"'`\]][ \t]{0,4}(?:[:=]|=>)[ \t]{0,4}[bruf]?\\{0,7}["'`]?$/
const VALUE_NAME =
  /(?:^|[^A-Za-z])(?:default|secret|string|text|to)?[-_]?(?:value|val|content|default|set|it)\\{0,7}["'`]?[ \t]{0,4}[:=][ \t]{0,4}\\{0,7}["'`]?$/i
/** What is between a value and the name after it. */
const ENTRY =
  /^\\{0,7}["'`]?[ \t]{0,4}[,;]?(?:\s|\\n){0,30}(?:- )?(?:\\*"\w{1,30}\\*": ?(?:\\*"[\w-]{0,40}\\*"|\w{1,8}),(?:\s|\\n){0,30}){0,3}\\{0,7}["'`]?(?:name|key|label|field|id|type|for|forKey|property|variable|title)\\{0,7}["'`]?[ \t]{0,4}[:=][ \t]{0,4}\\{0,7}["'`]?[\w./-]{0,40}$/i
const CLAUSE = /^\\{0,7}["'`][ \t]{1,4}WHERE[ \t]{1,4}[\w."`]{1,40}[ \t]{0,4}(?:=|LIKE)[ \t]{0,4}["'`]%?[\w./-]{0,40}$/i
const SAID =
  /^(?:["'`*”»“_]{0,3})(?:[ \t]{1,4}(?:is|was|as|for|are|ist|als|est|es|=>|->|→|←|—|–|-|=)[ \t]{1,4}|[ \t]{0,4}\((?:that's |which is |this is )?|[,;][ \t]{1,4}(?:(?:which|that|this) is )?)(?:(?:the|your|my|our|a|an|its|their|new|old|current|temporary|root|admin|das|le|la|el|de|du|[\w./-]{2,20})[ \t]{1,4}){0,4}[\w./-]{0,30}$/i
const COMMENT =
  /^\\{0,7}["'`]?[)\]},;]{0,4}[ \t]{0,12}(?:\/\/|#|--|\/\*|<!--|;|%)[ \t]{0,4}(?:[\w'’/.-]{1,20}[ \t]{1,4}){0,4}[\w./-]{0,30}$/
const WRITTEN =
  /^\\{0,7}["'`]?[ \t]{0,4}(?:>{1,2}|\|[ \t]{0,4}(?:sudo[ \t])?tee(?:[ \t]-a)?)[ \t]{0,4}["'`]?[\w./~$-]{0,80}$/
const ANNOTATED =
  /^\\{0,7}["'`]\)[ \t]{1,4}(?:(?:private|public|protected|final|static)[ \t]{1,4}){0,3}\w{1,30}[ \t]{1,4}\w{0,30}$/
const LINKS = [ENTRY, CLAUSE, SAID, COMMENT, WRITTEN, ANNOTATED]

/** Finds the values that come before their names: `X is the root password`, `"X", // api key`, `value: X, name: DB_PASSWORD`. */
export function valuesBefore(text: string, names: readonly number[], spans: readonly Span[]): Span[] {
  const found: Span[] = []
  let next = 0
  for (const at of names) {
    while ((spans[next]?.start ?? at) < at) next += 1
    const start = Math.max(0, at - REACH)
    const behind = text.slice(start, at)
    const span = text[at] === '@' ? passwordBefore(behind, at) : valueBefore(behind, start)
    if (span !== null && (spans[next - 1]?.end ?? 0) <= span.start) found.push(span)
  }
  return found
}

/** The address of a database as Go writes it: `ada:…@tcp(db:3306)/shop`. */
export const goAddressRule: Rule = {
  name: 'secret-value',
  anchors: ['@tcp(', '@unix('],
  isKeyFormat: false,
  match({ note, at, after }) {
    note(at)
    return after
  },
}

function passwordBefore(behind: string, end: number): Span | null {
  const [, user, secret = ''] = /(?:^|[\s"'`=(])([\w.-]{1,60}):([^\s"'`]{2,100})$/.exec(behind) ?? []
  if (secret === '' || secret === user || isPlaceholder(secret) || secret.includes('[redacted:')) return null
  return { start: end - secret.length, end, rule: 'secret-value', secret, replacement: null }
}

function valueBefore(behind: string, from: number): Span | null {
  const { index, end } = lastMixed(behind)
  if (index < 0) return null
  const value = behind.slice(index, end).replace(/[.:?]+$/, '')
  const link = behind.slice(index + value.length)
  if (!LINKS.some((each) => each.test(link))) return null
  const lead = behind.slice(0, index)
  const line = lead.slice(lead.lastIndexOf('\n') + 1)
  if (/\[redacted:/.test(behind.slice(index)) || isPlaceholder(value) || isReference(value)) return null
  const isEntry = ENTRY.test(link) || CLAUSE.test(link)
  if (isEntry ? NAMED.test(line) && !VALUE_NAME.test(line) && !CLAUSE.test(link) : OTHER_NAME.test(line)) return null
  const isQuoted = /["'`]$/.test(lead) && /^\\{0,7}["'`]/.test(link)
  const isSure = isQuoted || isEntry
  if (!isDrawn(value) && !(isSure && (isPassword(value) || /^[\da-f]{32,128}$/.test(value)))) return null
  const start = from + index
  return { start, end: start + value.length, rule: 'secret-value', secret: value, replacement: null }
}

/** Finds the last word of eight characters or more, with letters and digits; no expression, since most texts have none. */
function lastMixed(text: string): { readonly index: number; readonly end: number } {
  let end = text.length
  let [hasDigit, hasLetter] = [false, false]
  for (let at = end - 1; at >= -1; at -= 1) {
    const code = at < 0 ? SPACE : text.charCodeAt(at)
    if (digits.has(code)) hasDigit = true
    else if (letters.has(code)) hasLetter = true
    else if (ends.has(code)) {
      if (hasDigit && hasLetter && end - at > SHORTEST) return { index: at + 1, end }
      end = at
      hasDigit = hasLetter = false
    }
  }
  return { index: -1, end }
}
