import { decodesToPair } from './base64-pair.ts'
import { isPlaceholder, isTemplate } from '../named/placeholder.ts'
import { looksRandom, mixesDigits } from '../named/strength.ts'
import { unlessKey, type Rule } from '../rule.ts'

const LONGEST = 4096
/**
 * Before the credentials: a quote that closes the name, a sign, a quote that opens the value. A shell escapes the
 * space. `>` belongs to XML; a name may also be the value of a field `name`, next to a field `value`.
 */
const HEAD =
  /^(?:\\{0,31}["'`])?\]?[ \t]{0,4}(?:[:>]|=>?|,(?:[ \t]{0,4}\\{0,31}["']value\\{0,31}["'][ \t]{0,4}:)?|(?=[ \t]\\{0,31}["']))(?:\\{0,31}[ \t]){0,4}(?:[rbf]{0,2}\\{0,31}["'`])?/
const UNFINISHED_HEAD = /^[\s\\"'`\]:=,>rbfvalue]*$/
const SCHEME = /^([A-Za-z][\w-]{0,40})(?:\\{0,31}[ \t]){1,4}/
const SCHEMES =
  /^(?:Bearer|Basic|Digest|Token|ApiKey|Api-Key|Key|Negotiate|NTLM|Hawk|OAuth|OAuth2|JWT|SSWS|GoogleLogin|SharedKey|SharedKeyLite|SharedAccessSignature|Signature|DPoP|Splunk|GenieKey|PVEAPIToken|EG1-HMAC-SHA256|AWS4-HMAC-SHA256|AWS|HMAC|HMAC-SHA256|SCRAM-SHA-256|MAC|VAPID|WebPush|Mutual|Vapid|key|Apikey|Access|Session|X-Token)$/i
/**
 * `Digest username="…", response="…"`. The quotes belong to the credentials, and JSON escapes them; a quote after
 * base64's `=` does not.
 */
const PARAMETERS =
  /^(?:[\w-]{1,40}=(?:(\\{0,31})"(?![\s,;:&|)}\]]|\\+[nrt])[^"\\\n]{0,400}\1"|[^\s,"'`<>\\]{1,400})(?:,[ \t]{0,4}|(?!\w))){1,20}/
/** One word. Credentials contain no quotes, so a quote ends the string around them. */
const WORD = /^[^\s"'`<>\\|,;)}\]]+/

/** Matches the credentials of an `Authorization` or `Proxy-Authorization` header of any scheme; the scheme stays. */
export const authorizationRule: Rule = {
  name: 'authorization-header',
  anchors: ['uthorization', 'UTHORIZATION'],
  isKeyFormat: false,
  match(place) {
    const { text, final, after } = place
    const ahead = text.slice(after, after + LONGEST)
    const head = HEAD.exec(ahead)?.[0]
    const isOpen = !final && ahead.length < LONGEST && !/[\r\n]/.test(ahead)
    if (head === undefined) return isOpen && UNFINISHED_HEAD.test(ahead) ? 'more' : after
    if (isOpen) return 'more'
    const start = after + head.length
    const found = credentials(ahead.slice(head.length).split(/[\r\n]/, 1)[0] ?? '')
    return found === null ? start : unlessKey(place, start + found.from, start + found.to)
  },
}

/** Finds the credentials at the start of a line, without their scheme. */
function credentials(line: string): { from: number; to: number } | null {
  const [before = '', scheme = ''] = SCHEME.exec(line) ?? []
  // Its name stays.
  const name = before === '' ? '' : (/^(?:token|api[-_]?key)=(?=\w)/i.exec(line.slice(before.length))?.[0] ?? '')
  const from = before.length + name.length
  const value = before === '' ? '' : read(line.slice(from))
  const rest = line.slice(from + value.length)
  if (isWritten(value) && isSchemeSecret(value, before, scheme, rest)) return { from, to: from + value.length }
  const alone = WORD.exec(line)?.[0] ?? ''
  return !SCHEMES.test(alone) && isWritten(alone) && isSecretAlone(alone) ? { from: 0, to: alone.length } : null
}

const read = (text: string) => (PARAMETERS.exec(text) ?? WORD.exec(text))?.[0].replace(/[,;)}\]\s]+$/, '') ?? ''

/** False for masked values, templates, expressions and addresses. */
function isWritten(value: string): boolean {
  if (value.length < 4 || /\[redacted:|<private>|^(?:token|api[-_]?key)=$/i.test(value)) return false
  if (isPlaceholder(value) || isTemplate(value) || /^[<[{($%]|[({`]/.test(value)) return false
  return !/^https?:|^realm=["'\w]*$/i.test(value)
}

function isSchemeSecret(value: string, before: string, scheme: string, rest: string): boolean {
  if (!SCHEMES.test(scheme) && (!/[-\d]/.test(scheme) || isStrong(scheme))) return isStrong(value)
  // Left to the rules for these two schemes, whose marks name them.
  if (/^(?:Bearer|bearer|BEARER) /.test(before) && /^[\w.~+/=-]{16,}$/.test(value) && mixesDigits(value)) return false
  if (/^(?:Basic|basic|BASIC) /.test(before) && /^[\w+/=-]{6,}$/.test(value) && decodesToPair(value)) return false
  if (mixesDigits(value)) return true
  // A single word is the credentials, unless a sentence continues or it is a placeholder (`Bearer SESSION`).
  return value.length >= 6 && !/^[ \t]+\S/.test(rest) && !/^[A-Z_]{1,24}$/.test(value)
}

const isStrong = (value: string) => value.length >= 16 && mixesDigits(value) && looksRandom(value)

const isSecretAlone = (value: string) =>
  value.length >= 8 && mixesDigits(value) && !/^[A-Za-z_$][\w$]*(?:\.[\w$]+)+$/.test(value)
