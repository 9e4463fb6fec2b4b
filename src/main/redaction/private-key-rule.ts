import { charClass } from './char-class.ts'
import { followRuns, type Found, type Place, type Rule, type Verdict } from './rule.ts'

/** Maximum length of a private key, even if quoted, numbered or commented. */
const LONGEST_BODY = 32_768
/** An unbroken run of this many characters is key material, not prose. */
const SHORTEST_ROW = 24

const armour = charClass('A-Za-z0-9+/=')
// Line ends (escaped or not), quotes and pluses of string concatenation, header lines, a viewer's line numbers.
const filling = charClass(' \t\r\n\\"\'`,:.;|>%→#*_')
const label = charClass('A-Za-z0-9 +%')
const dash = charClass('-')
/** The name of a field between two rows: the key was cut off, and the string that it is in has ended. */
const FIELD = /[A-Za-z]\\*["'`]\s{0,8}:/
const BEGIN = '-----BEGIN'
const ENDS = ['-----END', '---- END']

/** Matches PEM and PGP private keys: in files, source code and JSON strings, URL-encoded, and with the end missing. */
export const privateKeyRule: Rule = {
  name: 'private-key',
  anchors: [BEGIN, '---- BEGIN'],
  isKeyFormat: true,
  match(place) {
    const head = followRuns(place, place.after, [
      [label, 8, 60],
      [dash, 4, 5],
    ])
    if (typeof head !== 'object') return head
    const [labelEnd = 0, bodyStart = 0] = head
    if (!/PRIVATE|OpenVPN(?: |%20|\+)Static/.test(place.text.slice(place.after, labelEnd))) return bodyStart
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
  if (
    !final &&
    (at === text.length || ENDS.some((end) => end.startsWith(text.slice(at, at + end.length)))) &&
    at - start < LONGEST_BODY
  )
    return lineEnd(place, at, lastRow) ?? 'more'
  if (lastRow < 0) return at
  return lineEnd(place, at, lastRow) ?? inRows(place.text, place.at, lastRow)
}

/** Returns the whole key if its end line starts at `at`, or after the sign of a removed line; else null. */
function lineEnd(place: Place, at: number, lastRow: number): Verdict | null {
  const end = place.text.startsWith(`-${ENDS[0]}`, at) ? at + 1 : at
  if (!ENDS.some((each) => place.text.startsWith(each, end))) return null
  const ends = followRuns(place, end + 8, [
    [label, 8, 60],
    [dash, 4, 5],
  ])
  if (ends === 'more') return 'more'
  if (lastRow < 0) return at
  return inRows(place.text, place.at, typeof ends === 'object' ? (ends.at(-1) ?? at) : lastRow)
}

const LINE_BREAK = /(\\+r\\+n|\\+n|\r?\n)/
/** What a search, a viewer and a string have before a row: a file, a number, a sign, a quote. A sign of a diff may also begin a row. */
const LEAD =
  /^(?:[\w./@-]{1,120}[:-](?=\d{1,6}[:-]))?[ \t]*(?:\d{1,6}(?:[\t→|:]|-(?=[^-]|-----)|[ \t]+))?[ \t]*(?:[-+](?=[ \t"'`]))?[ \t→|>:#*;%,.]*(?:\\+t)*(?:\\*["'`])*/
/** What it has after it. */
const TRAIL = /(?:\\+n)?\\*["'`][^A-Za-z0-9/=]*$|[ \t]+$/

/** Returns a key; its rows one by one if they are numbered, joined or changed lines, so that all else stays. */
export function inRows(text: string, start: number, end: number): Found {
  const parts = text.slice(start, end).split(LINE_BREAK)
  const rows: { lead: string; row: string; at: number }[] = []
  let at = start
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 0) {
      const lead = index === 0 ? '' : (LEAD.exec(part)?.[0] ?? '')
      const row = part.slice(lead.length).replace(index === parts.length - 1 ? '' : TRAIL, '')
      if (/[A-Za-z0-9/=]/.test(row)) rows.push({ lead, row, at: at + lead.length })
    }
    at += part.length
  }
  const inner = rows.filter((row) => row.at > start)
  const sign = ['+', '-'].find((each) => inner.every(({ row }) => row.startsWith(each)))
  if (inner.length === 0 || (sign === undefined && inner.every(({ lead }) => /^[ \t]*$/.test(lead))))
    return { start, end }
  const [first, ...also] = rows.map(({ row, at: from }) => ({
    start: from > start && sign !== undefined ? from + 1 : from,
    end: from + row.length,
  }))
  return first === undefined ? { start, end } : { ...first, also }
}
