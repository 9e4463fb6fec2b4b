import { charClass } from '../char-class.ts'
import { NOWHERE, type Place, type Rule, type Verdict } from '../rule.ts'
import { nameKind } from './secret-name.ts'
import { readNotation } from './notation.ts'
import { judgeValue } from './judge-value.ts'
import { SIGNALS, type Signal } from './signals.ts'
import { LONGEST_VALUE } from './value-text.ts'

const STEMS = 'pass pwd passwd secret token cred key auth requirepass psk'.split(' ')
const inName = charClass('A-Za-z0-9_.$-')
const LONGEST_NAME = 64
/** Text after a name that a value, its notation and the next line may take. */
const AHEAD = LONGEST_VALUE + 400
/** Characters allowed between a name and its value. */
const mayFollow = charClass('[=:"\'`\\])>< \t?|,({\r\n/')

const forms = (stem: string) => [stem, stem[0]?.toUpperCase() + stem.slice(1), stem.toUpperCase()]

/** Matches the values of names that say what they are, in any notation: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`. */
export const namedValueRule = createNamedValueRule(SIGNALS)

/** Makes the rule of some of the signals. */
export function createNamedValueRule(signals: readonly Signal[]): Rule {
  return {
    name: 'secret-value',
    anchors: [
      ...STEMS.flatMap(forms),
      '_pw',
      '_PW',
      'bindpw',
      'rootpw',
      'PW=',
      'pw=',
      '_pat',
      '_PAT',
      'dsn',
      'Dsn',
      'DSN',
    ],
    isKeyFormat: false,
    match(place) {
      const { text, final } = place
      let end = place.after
      while (end < text.length && end - place.after < LONGEST_NAME && inName.has(text.charCodeAt(end))) end += 1
      if (end === text.length && !final) return end - place.after < LONGEST_NAME ? 'more' : end
      // `pw=` and a name at the end of a sentence.
      while (end > place.at && '.-='.includes(text[end - 1] ?? '')) end -= 1
      if (end === text.length || !mayFollow.has(text.charCodeAt(end))) return end
      const before = place.behind(place.at, 128)
      const head = nameHead(before)
      if (head === null) return end
      const name = head + text.slice(place.at, end)
      const kind = nameKind(name)
      if (kind === null) return end
      return matchValue(place, { name, kind, end, before: before.slice(0, before.length - head.length) }, signals)
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
  // In the middle of base64.
  if (lead === '+') return null
  // The letter of an escape, and a terminal's colour code, are not part of a name.
  if (head !== '' && lead === '\\' && /^[nrtbf]/.test(head)) return head.slice(1)
  if (lead === '[' && /^[\d;]{1,8}m/.test(head)) return head.replace(/^[\d;]+m/, '')
  return head.replace(/^[-.$]+/, '')
}

interface NamedAt {
  readonly name: string
  readonly kind: NonNullable<ReturnType<typeof nameKind>>
  readonly end: number
  readonly before: string
}

function matchValue(place: Place, { name, kind, end, before }: NamedAt, signals: readonly Signal[]): Verdict {
  const { text, final } = place
  const ahead = text.slice(end, end + AHEAD)
  const notation = readNotation(ahead, before, name)
  if (notation === 'more' && !final && ahead.length < AHEAD) return 'more'
  if (notation === null || notation === 'more') return end
  // The verdict may depend on the line after the value.
  if (!final && ahead.length < AHEAD && !/[\r\n][^\r\n]*[\r\n]/.test(ahead.slice(notation.value.end))) return 'more'
  const { value } = notation
  const start = end + value.start
  const stop = end + value.end
  const written = ahead.slice(value.start, value.end)
  if (/\[redacted:|<private>/i.test(written)) return start
  if (!judgeValue(written, { kind, name, before, notation, ahead }, signals)) return start
  const key = place.isKey(start, stop)
  if (key === 'more') return final ? NOWHERE : 'more'
  return key ? start : { start, end: stop }
}
