import { base64, charClass, digits, dotted, word } from '../char-class.ts'
import { isDrawn } from '../named/nearby.ts'
import { mixesDigits } from '../named/strength.ts'
import { followRuns, LONGEST_RUN, type Rule, type Run } from '../rule.ts'
import type { Span } from '../scanner.ts'

/** A format whose mark is in its middle. */
interface Marked {
  readonly name: string
  readonly marks: string
  /** What is before the mark. It stays in a stream, which has shown it; of a whole text it goes. */
  readonly before: RegExp
  readonly after: Run
  /** True if the part after the mark must look drawn at random. */
  readonly isLoose?: true
}

const LONGEST_BEFORE = 96

const MARKED: readonly Marked[] = [
  // Three characters, a digit, `Q~`, and 31 to 34 more.
  {
    name: 'azure-client-secret',
    marks: '0Q~ 1Q~ 2Q~ 3Q~ 4Q~ 5Q~ 6Q~ 7Q~ 8Q~ 9Q~',
    before: /[\w~.-]{3}$/,
    after: [charClass('A-Za-z0-9_~.-'), 31, 40],
  },
  {
    name: 'terraform-token',
    marks: '.atlasv1.',
    before: /(?:(?<![A-Za-z\d])[A-Za-z\d]{14})?$/,
    after: [dotted, 40, LONGEST_RUN],
  },
  { name: 'mailchimp-key', marks: '-us', before: /(?<![\da-f])[\da-f]{32}$/, after: [digits, 1, 2] },
  // Microsoft's keys name their service and end with a sum.
  {
    name: 'azure-key',
    marks: 'JQQJ99 AzFu AzSe AzCa +ASt ACDb +ASb +AEh +ABa AIoT +ACR AZDO',
    before: /(?=[A-Za-z+/-]{0,80}\d)(?=[\da-z+/-]{0,80}[A-Z])[\w+/-]{25,80}$/,
    after: [base64, 4, 40],
  },
  // `acme_live_…`, `acme_pat_…`: as most makers write their keys today.
  {
    name: 'vendor-key',
    marks: '_sk_ _pat_ _secret_ _token_ _live_ _apikey_ -pat- -live- -secret- _prod_sk_',
    before: /(?<![A-Za-z\d_-])(?!(?:[a-z\d]*_)?(?:pk|pub|public|anon)(?:_|$))[a-z][a-z\d]{1,11}(?:_[A-Za-z\d]{2,30})?$/,
    after: [word, 20, LONGEST_RUN],
    isLoose: true,
  },
]

/** Keys that a mark in their middle gives away. */
export const MARKED_FORMATS: readonly Rule[] = MARKED.map(({ name, marks, before, after, isLoose }) => ({
  name,
  anchors: marks.split(' '),
  isKeyFormat: true,
  match(place) {
    const ends = followRuns(place, place.after, [after])
    if (typeof ends !== 'object') return ends
    if (!before.test(place.behind(place.at, LONGEST_BEFORE))) return ends[0] ?? 0
    const end = ends[0] ?? place.after
    const body = place.text.slice(place.after, end)
    if (word.has(place.text.charCodeAt(end)) || (body.length > 20 && !mixesDigits(body))) return end
    if (isLoose && !isDrawn(body) && !/^[\da-f]{32,}$/.test(body)) return end
    return { start: place.at, end }
  },
}))

/** Adds to a secret of a whole text what is before its mark. */
export function withBeginning(text: string, span: Span): Span {
  const marked = MARKED.find(({ name }) => name === span.rule)
  const head = marked?.before.exec(text.slice(Math.max(0, span.start - LONGEST_BEFORE), span.start))?.[0].length ?? 0
  return head === 0 ? span : { ...span, start: span.start - head, secret: text.slice(span.start - head, span.end) }
}
