import { decodesToPair } from './base64-pair.ts'
import { isPlaceholder, isTemplate } from '../named/placeholder.ts'
import { mixesDigits } from '../named/strength.ts'
import type { Place, Rule, Verdict } from '../rule.ts'

const LONGEST = 4096
const HEAD = /^(?:\\{0,31}["'`])?\]?[ \t]{0,4}(?::|=>?|,)[ \t]{0,4}(?:[rbf]{0,2}(\\{0,31}["'`]))?/
/** `Digest username="…", response="…"`. */
const PARAMETERS =
  /^[A-Za-z][\w-]{1,40} (?:[\w-]{1,40}=(?:\\{0,31}"[^"\\\n]{0,400}\\{0,31}"|[^\s,"\\]{1,400})(?:,[ \t]{0,4}|(?=[\s\\"'`]|$))){1,20}/
const SCHEMES =
  /^(?:Bearer|Basic|Digest|Token|ApiKey|Api-Key|Key|Negotiate|NTLM|Hawk|OAuth|OAuth2|JWT|SSWS|GoogleLogin|SharedKey|SharedKeyLite|SharedAccessSignature|Signature|DPoP|Splunk|GenieKey|PVEAPIToken|EG1-HMAC-SHA256|AWS4-HMAC-SHA256|AWS|HMAC|HMAC-SHA256|SCRAM-SHA-256|MAC|VAPID|WebPush|Mutual|Vapid|key|Apikey|Access|Session|X-Token)$/i

/** Matches the credentials of an `Authorization` or `Proxy-Authorization` header of any scheme; the scheme stays. */
export const authorizationRule: Rule = {
  name: 'authorization-header',
  anchors: ['uthorization', 'UTHORIZATION'],
  isKeyFormat: false,
  match(place) {
    const { text, final, after } = place
    const ahead = text.slice(after, after + LONGEST)
    const head = HEAD.exec(ahead)
    const isOpen = !final && ahead.length < LONGEST && !/[\r\n]/.test(ahead)
    if (head === null) return isOpen && /^[\s\\"'`\]:=,rbf]*$/.test(ahead) ? 'more' : after
    if (isOpen) return 'more'
    const [all, quote] = head
    const line = valueLine(ahead.slice(all.length), quote)
    return credentials(place, after + all.length, line)
  },
}

/** Returns the header's value: up to its closing quote, or to the end of the line. */
function valueLine(text: string, quote: string | undefined): string {
  // Parameters have quotes of their own, which JSON escapes.
  const parameters = quote === undefined ? PARAMETERS.exec(text)?.[0] : undefined
  if (parameters !== undefined) return parameters
  const end = quote === undefined ? text.search(/[\r\n]|\\+[nr"'`]|["'`]\s*(?:-|\\|$)/) : text.indexOf(quote)
  const line = end < 0 ? text : text.slice(0, end)
  return line.split(/[\r\n]/, 1)[0] ?? ''
}

function credentials(place: Place, start: number, line: string): Verdict {
  const parts = /^([A-Za-z][\w-]{0,40})[ \t]{1,4}(\S.*)$/.exec(line)
  const scheme = parts?.[1] ?? ''
  const isScheme = parts !== null && (SCHEMES.test(scheme) || /[-\d]/.test(scheme))
  const value = (parts === null ? line : (parts[2] ?? '')).trimEnd().replace(/[,;)}\]]+$/, '')
  if (!isSecret(value, scheme, isScheme, parts === null)) return start
  const from = start + line.indexOf(value)
  const end = from + value.length
  const key = place.isKey(from, end)
  if (key === 'more') return place.final ? start : 'more'
  return key ? start : { start: from, end }
}

function isSecret(value: string, scheme: string, isScheme: boolean, isAlone: boolean): boolean {
  if (value.length < 4 || /\[redacted:|<private>/i.test(value)) return false
  if (isPlaceholder(value) || isTemplate(value) || /^[<[{($%]|[({`]|\+ /.test(value)) return false
  if (/^https?:|^realm=["'\w]*$/i.test(value)) return false
  if (isAlone)
    return (
      value.length >= 8 && !/\s/.test(value) && mixesDigits(value) && !/^[A-Za-z_$][\w$]*(?:\.[\w$]+)+$/.test(value)
    )
  if (!isScheme) return false
  // Left to the rules for these two, which name what they find.
  if (/^bearer$/i.test(scheme) && /^[\w.~+/=-]{16,}$/.test(value) && mixesDigits(value)) return false
  if (/^basic$/i.test(scheme) && /^[\w+/=-]{6,}$/.test(value) && decodesToPair(value)) return false
  if (!/\s/.test(value)) return mixesDigits(value) || value.length >= 6
  return mixesDigits(value) && /[=:]/.test(value)
}
