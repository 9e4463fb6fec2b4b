import { charClass } from '../char-class.ts'
import { listed } from '../listed.ts'
import { type Found, NOWHERE, type Place, type Rule, type Verdict } from '../rule.ts'
import { nameKind, qualifiesKey, type NameKind } from './secret-name.ts'
import { NAME_STEMS } from './name-stems.ts'
import { isDrawn, isPassword, readNearby, readWild } from './nearby.ts'
import { readNotation } from './notation.ts'
import { judgeValue } from './judge-value.ts'
import { SLOT } from './spaced-notation.ts'
import { mixesDigits } from './strength.ts'
import { isReference } from './placeholder.ts'
import { SIGNALS, type Signal } from './signals.ts'
import { LONGEST_VALUE, type ValueText } from './value-text.ts'

const inName = charClass('A-Za-z0-9_.$-')
/** What the part of a name before its anchor, or an escape before it, ends with. */
const MAY_LEAD = charClass('A-Za-z0-9_.$+\\[-')
const LONGEST_NAME = 64
/** Its value was removed. */
const MARKED = /^\W{0,14}redacted:/
/** A sentence that ends a name, and one that shows its value: `API key. Copy it now:`. */
const SHOWN_BELOW = /^\.[ \t][^\r\n]{2,90}:[ \t]*(?:[\r\n]|\\n)/
/** Text after a name that a value, its notation and the next line may take. */
const AHEAD = LONGEST_VALUE + 400
/** Characters allowed between a name and its value. */
const mayFollow = charClass('[=:"\'`\\])>< \t?|│┃║*,({\r\n/')

/** Matches the values of revealing names, in any notation: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`. */
export const namedValueRule = createNamedValueRule(SIGNALS)

/** Builds the rule from some of the signals. */
export function createNamedValueRule(signals: readonly Signal[]): Rule {
  return {
    name: 'secret-value',
    anchors: [
      ...NAME_STEMS,
      ...['pw', 'Pw', 'PW'].flatMap((name) => ['=', ':', '"', "'", ' ', '\\"'].map((sign) => name + sign)),
      ...listed(
        `_pw|_PW|bindpw|rootpw|_salt|_SALT|Salt|_seed|_SEED|Seed|SALT|PEPPER|Pepper|pepper|pasw|Pasw|_pat|_PAT|dsn|Dsn|DSN`,
      ),
    ],
    isKeyFormat: false,
    match(place) {
      const { text, final } = place
      let end = place.after
      // `pw ` and `pw=` end their name.
      const limit = !inName.has(text.charCodeAt(end - 1)) ? end : Math.min(text.length, end + LONGEST_NAME)
      while (end < limit && inName.has(text.charCodeAt(end))) end += 1
      if (end === text.length && !final) return end - place.after < LONGEST_NAME ? 'more' : end
      // `pw=` and a name at the end of a sentence.
      while (end > place.at && '.-=: "\'\\'.includes(text[end - 1] ?? '')) end -= 1
      const isFollowed =
        end < text.length &&
        (mayFollow.has(text.charCodeAt(end)) || (text[end] === '.' && SHOWN_BELOW.test(text.slice(end, end + 100))))
      if (!isFollowed && end < text.length && !';!.'.includes(text[end] ?? '')) return end
      // Most names say nothing, and stand alone.
      const own = text.slice(place.at, end)
      const isAlone = !MAY_LEAD.has(text.charCodeAt(place.at - 1))
      if (isAlone && nameKind(own) === null && !/^keys?$/i.test(own)) return end
      // The heading of a table is further away.
      const before = place.behind(place.at, SLOT.test(text.slice(end, end + 400)) ? 380 : 128)
      const head = nameHead(before)
      if (head === null) return end
      const name = head + own
      const kind = head === '' ? phraseKind(before, name) : nameKind(name)
      if (kind === null) return end
      const named = { name, kind, end, before: before.slice(0, before.length - head.length) }
      const verdict = isFollowed ? matchValue(place, named, signals) : end
      if (typeof verdict === 'number' && kind !== 'weak' && kind !== 'dsn' && !MARKED.test(text.slice(end, end + 24)))
        place.note(place.at - head.length)
      return verdict
    },
  }
}

/** Returns the part of the name before its anchor; null if it is too long for a name. */
function nameHead(before: string): string | null {
  let start = before.length
  while (start > 0 && inName.has(before.charCodeAt(start - 1))) start -= 1
  const head = before.slice(start)
  if (head.length > LONGEST_NAME) return null
  const lead = before[start - 1] ?? ''
  // In the middle of base64. At the beginning of a line, a line that was added.
  if (lead === '+' && start > 1 && !/[\s"'`n]/.test(before[start - 2] ?? '')) return null
  // The letter of an escape, and a terminal's colour code, are not part of a name.
  if (head !== '' && lead === '\\' && /^[nrtbf]/.test(head)) return head.slice(1)
  if (lead === '[' && /^[\d;]{1,8}m/.test(head)) return head.replace(/^[\d;]+m/, '')
  return head.replace(/^-D(?=[a-z\d]+\.)|^[-.$]+/, '')
}

/** Between a name and one on the level below: the rest of it, and the fields before. */
const LEAD = /^:[\s{\\n]{1,40}(?:\\*"\w{1,30}\\*": ?(?:\\*"[^"\n]{0,60}"|\w{1,12}),\s{0,40}){0,3}\\*["']?$/

/**
 * Two words may say what one does not: `API key`, `"Jwt": {"Key": …}`. They may also be a heading, so the value counts as
 * that of a token.
 */
function phraseKind(before: string, name: string): NameKind | null {
  const kind = nameKind(name)
  if (kind !== null || !/^keys?$/i.test(name)) return kind
  if (/(?:login|[cC]lient|A[pP][iI]|init|configure)\($/.test(before))
    return before.endsWith('login(') ? 'token' : 'weak'
  let end = before.length - 1
  // Not the whole text before it: most keys come here.
  if (!/^\S[ :-]$/.test(before.slice(-2))) {
    const colons = [before.lastIndexOf(':'), before.lastIndexOf(':', before.lastIndexOf('{'))]
    end = colons.find((at) => at >= 0 && LEAD.test(before.slice(at))) ?? -1
    if (end < 0) return null
    while (end > 0 && '"\'\\ '.includes(before[end - 1] ?? '')) end -= 1
  }
  const word = /(?:[A-Z]?[a-z]+|[A-Z]+)$/.exec(before.slice(Math.max(0, end - 14), end))?.[0]
  if (word === undefined) return null
  if (qualifiesKey(word)) return 'token'
  return /^(?:cookie|keys?|my|this|your|our)$/i.test(word) || nameKind(`${word} token`) === 'secret' ? 'weak' : null
}

/** Leaves the signs that emphasise a value, and the quotes of a string within a string. */
function unwrapped(ahead: string, value: ValueText, before: string): ValueText {
  const whole = ahead.slice(value.start, value.end)
  // The end of what a stream editor puts in.
  const edit = value.quote === '' ? /["']s([/|#,])(?:(?!\1)[^\n])*\1[^\s/|#,]{0,40}$/.exec(before)?.[1] : undefined
  if (edit !== undefined && whole.includes(edit)) return { ...value, end: value.start + whole.indexOf(edit) }
  // The end of a sentence.
  if (value.quote === '' && /[^.]\.$/.test(whole) && /^[ \t]+[A-Z]/.test(ahead.slice(value.end, value.end + 4)))
    return { ...value, end: value.end - 1 }
  const around = /^(\*{1,3}|__|\\+["'])[^\s*]+\1$/.exec(whole)?.[1]?.length ?? 0
  return around === 0 ? value : { ...value, start: value.start + around, end: value.end - around }
}

/** Returns the length of the user before a password, as options called `-auth` take them: `-auth ada:…`. */
const userBefore = (name: string, whole: string): number =>
  /(?:^|[-_])(?:auth|credentials?|creds?)$|^(?:Set|Load)Credential$/i.test(name) && !isReference(whole)
    ? (/^[\w.@-]{1,40}:(?=.{4})/.exec(whole)?.[0].length ?? 0)
    : 0

interface NamedAt {
  readonly name: string
  readonly kind: NameKind
  readonly end: number
  readonly before: string
}

function matchValue(place: Place, { name, kind, end, before }: NamedAt, signals: readonly Signal[]): Verdict {
  const { text, final } = place
  const ahead = text.slice(end, end + AHEAD)
  const isWhole = final || ahead.length === AHEAD
  const wild = kind === 'password' ? readWild(ahead, before, name) : null
  const read = wild ?? readNotation(ahead, before, name, isWhole)
  const isList = read !== null && read !== 'more' && ahead[read.value.start] === '['
  const isAttached = kind === 'dsn' || (kind === 'weak' && !/^keys?$/i.test(name)) || (read !== null && !isList)
  const notation = (isAttached || wild !== null ? null : readNearby(ahead, before, kind, isWhole)) ?? read
  if (notation === 'more') return 'more'
  if (notation === null) return end
  // The verdict may depend on the line after the value.
  if (!final && ahead.length < AHEAD && !/[\r\n][^\r\n]*[\r\n]/.test(ahead.slice(notation.value.end))) return 'more'
  const value = unwrapped(ahead, notation.value, before)
  const whole = ahead.slice(value.start, value.end)
  // Of an address without a scheme, the password alone; one with a scheme has a rule of its own.
  const dsn = kind === 'dsn' ? /^[^\s:@]{1,80}:(?=[^\s]+@)/.exec(whole)?.[0].length : userBefore(name, whole)
  if (dsn === undefined || (kind === 'dsn' && whole.includes('://'))) return end
  const start = end + value.start + dsn
  // The sign that a shell goes on with stays.
  const isCut = whole.endsWith('\\') && /[\r\n]/.test(ahead[value.end] ?? '')
  const stop = kind === 'dsn' ? end + value.start + whole.lastIndexOf('@') : end + value.end - (isCut ? 1 : 0)
  const written = kind === 'dsn' ? whole.slice(dsn, whole.lastIndexOf('@')) : whole.slice(dsn, isCut ? -1 : undefined)
  if (/\[redacted:|<private>/i.test(written)) return start
  if (kind === 'weak' && /^keys?$/i.test(name) && !isDrawn(written)) return start
  // A user before it says that it is a password.
  const sure = kind === 'weak' && dsn > 0 ? 'token' : kind
  if (wild === null && !judgeValue(written, { kind: sure, name, before, notation, ahead }, signals)) return start
  const key = place.isKey(start, stop)
  if (key === 'more') return final ? NOWHERE : 'more'
  if (key) return start
  // A quote after a bare value closes a string around it, and a word before it opens no next literal.
  const also = notation.value.quote === '' && /["'`]/.test(text[stop] ?? '') ? [] : continued(text, stop)
  return also.length === 0 ? { start, end: stop } : { start, end: stop, also }
}

/** The next literal of a value that a program joins of several; the next line of one that a shell or YAML goes on with; what it is changed to. */
const CONTINUED =
  /^(?:(["'`])\)?[ \t]{0,4}(?:\+|\.{1,2}|&|\\|~)?[ \t]{0,4}(?:\\?\r?\n[ \t]{0,40}(?:\+ ?|\. ?)?)?[rbf]?\1([^"'`\n\\]{6,200})(?=\1)|\\\r?\n([^\s"'`\\]{6,200})(?=["'`\\]|\s*$)|\r?\n[ \t]{2,40}([\w+/=.-]{16,200})(?=[ \t]*(?:\r?\n|$))|[ \t](?:to|→|->|=>|nach|auf|zu)[ \t]([^\s"'`\\]{6,200}?)(?=[.,;:?)]{0,2}(?:[\s"'`\\]|$))|'(?:"'"|\\')'([^'\n\\]{1,200})(?='))/
const MOST_LITERALS = 20

/** Finds the literals that a program joins with one that ends here. */
function continued(text: string, from: number): Pick<Found, 'start' | 'end'>[] {
  const found: Pick<Found, 'start' | 'end'>[] = []
  for (let at = from; found.length < MOST_LITERALS;) {
    const hit = CONTINUED.exec(text.slice(at, at + 320))
    const [, , literal, below, row, next, quoted] = hit ?? []
    const part = literal ?? below ?? row ?? next ?? quoted ?? ''
    const isSure =
      quoted !== undefined || (row === undefined && mixesDigits(part) && (next === undefined || isPassword(part)))
    if (hit === null || (!isSure && !isDrawn(part)) || /\s|\[redacted:/.test(part)) return found
    at += hit[0].length
    found.push({ start: at - part.length, end: at })
  }
  return found
}
