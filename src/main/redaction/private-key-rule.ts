import { charClass } from './char-class.ts'
import { followRuns, type Place, type Rule, type Verdict } from './rule.ts'

/** Maximum length of a private key, even if quoted, numbered or commented. */
const LONGEST_BODY = 32_768
/** An unbroken run of this many characters is key material, not prose. */
const SHORTEST_ROW = 24

const armour = charClass('A-Za-z0-9+/=')
// Line ends (escaped or not), quotes and pluses of string concatenation, header lines, a viewer's line numbers.
const filling = charClass(' \t\r\n\\"\'`,:.;|>%→')
const label = charClass('A-Z0-9 +%')
const dash = charClass('-')
/** The name of a field between two rows: the key was cut off, and the string that it is in has ended. */
const FIELD = /[A-Za-z]\\*["'`]\s{0,8}:/
const BEGIN = '-----BEGIN'
const END = '-----END'

/** Matches PEM and PGP private keys: in files, source code and JSON strings, URL-encoded, and with the end missing. */
export const privateKeyRule: Rule = {
  name: 'private-key',
  anchors: [BEGIN],
  isKeyFormat: true,
  match(place) {
    const head = followRuns(place, place.after, [
      [label, 8, 60],
      [dash, 5, 5],
    ])
    if (typeof head !== 'object') return head
    const [labelEnd = 0, bodyStart = 0] = head
    if (!place.text.slice(place.after, labelEnd).includes('PRIVATE')) return bodyStart
    return body(place, bodyStart)
  },
}

function body(place: Place, start: number): Verdict {
  const { text, final } = place
  let at = start
  let row = 0
  let lastRow = -1
  for (; at - start < LONGEST_BODY && at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (armour.has(code)) {
      row += 1
      if (row < SHORTEST_ROW) continue
      if (row === SHORTEST_ROW && lastRow >= 0 && FIELD.test(text.slice(lastRow, at + 1 - row))) break
      lastRow = at + 1
    } else {
      row = 0
      if (code === 45 ? text.startsWith('--', at) : !filling.has(code)) break
    }
  }
  if (!final && (at === text.length || END.startsWith(text.slice(at, at + END.length))) && at - start < LONGEST_BODY)
    return lineEnd(place, at, lastRow) ?? 'more'
  if (lastRow < 0) return at
  return lineEnd(place, at, lastRow) ?? { start: place.at, end: lastRow }
}

/** Returns the whole key if its end line starts at `at`, else null. */
function lineEnd(place: Place, at: number, lastRow: number): Verdict | null {
  if (!place.text.startsWith(END, at)) return null
  const ends = followRuns(place, at + END.length, [
    [label, 8, 60],
    [dash, 5, 5],
  ])
  if (ends === 'more') return 'more'
  if (lastRow < 0) return at
  return { start: place.at, end: typeof ends === 'object' ? (ends.at(-1) ?? at) : lastRow }
}
