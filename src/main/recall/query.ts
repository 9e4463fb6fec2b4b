import { formsOf } from './forms.ts'
import { kindsOf } from './kinds-of.ts'
import { isStopWord } from './stop-words.ts'
import { relatedTo, synonymsOf } from './synonyms.ts'
import { compoundsOf, cjkRunsOf, fold, hasCjk, humpsOf, joinedOf, pairsOf, wordsOf } from '../base/words.ts'

/** A word or compound of a query. Expressions are complete FTS5: every word is quoted, so none can act as syntax. */
export interface Term {
  /** As typed. */
  readonly raw: string
  /** Matches the whole term, in any of the ways it may be written. */
  readonly whole: string
  /** Match its parts, one expression each. */
  readonly pieces: readonly string[]
  /** Folded words, for highlighting. */
  readonly words: readonly string[]
  /** Inflected forms that count in full: `went` for `go`. */
  readonly forms: readonly string[]
  /** Technical synonyms. */
  readonly synonyms: readonly string[]
  /** Everyday words with a similar meaning. */
  readonly related: readonly string[]
  /** Too common in questions to be worth searching for. */
  readonly isStopWord: boolean
}

export type KindFilter = 'thinking' | 'user_prompt' | 'assistant_response' | 'compaction' | 'tool'

/** A parsed search. */
export interface RecallQuery {
  readonly terms: readonly Term[]
  /** Quoted: every hit must contain them. */
  readonly phrases: readonly Term[]
  readonly excluded: readonly Term[]
  /** All words in order as one phrase; null for a single word, or if the query has CJK. */
  readonly phrase: string | null
  readonly kinds: readonly KindFilter[]
  readonly project: string | null
  readonly session: string | null
  readonly tool: string | null
  readonly model: string | null
  readonly agent: string | null
  readonly client: string | null
  /** ISO 8601. */
  readonly before: string | null
  readonly after: string | null
}

const KINDS: { readonly [word: string]: KindFilter } = {
  prompt: 'user_prompt',
  prompts: 'user_prompt',
  user: 'user_prompt',
  user_prompt: 'user_prompt',
  thinking: 'thinking',
  thought: 'thinking',
  answer: 'assistant_response',
  answers: 'assistant_response',
  response: 'assistant_response',
  assistant: 'assistant_response',
  assistant_response: 'assistant_response',
  assistant_text: 'assistant_response',
  compaction: 'compaction',
  summary: 'compaction',
  tool: 'tool',
  tools: 'tool',
  tool_call: 'tool',
  tool_result: 'tool',
}

/** Further terms are ignored. */
const MAX_TERMS = 64
const ITEM = /((?<!\S)-(?=[^-\s]))?(?:([a-z]+):)?(?:"([^"]*)"|(\S+))/giu

/** Parses a search as people type it. Never fails: anything but a filter, a quote or a minus is words. */
export function parseQuery(text: string, options: { readonly prefix?: boolean } = {}): RecallQuery {
  const terms: Term[] = []
  const phrases: Term[] = []
  const excluded: Term[] = []
  const filters: { [name: string]: string } = {}
  const kinds: KindFilter[] = []
  // An unclosed quote is ignored.
  const balanced = (text.split('"').length - 1) % 2 === 0 ? text : text.replace(/"(?=[^"]*$)/, ' ')
  const items = [...balanced.normalize('NFC').matchAll(ITEM)]
  for (const [index, item] of items.entries()) {
    const [, minus, field, quoted, bare] = item
    const value = quoted ?? bare ?? ''
    if (field !== undefined && addFilter(field.toLowerCase(), value, filters, kinds)) continue
    const words = field === undefined ? value : `${field}:${value}`
    if (quoted !== undefined) {
      const term = quotedTerm(words)
      if (term !== null) (minus === '-' ? excluded : phrases).push(term)
      continue
    }
    const typing = options.prefix === true && index === items.length - 1 && /[\p{L}\p{N}]$/u.test(text)
    const made = termsOf(words, typing)
    if (minus === '-' && made.length > 0) excluded.push(...made)
    else terms.push(...made)
  }
  // A query of nothing but exclusions is taken as words.
  const kept = (terms.length + phrases.length === 0 ? excluded.splice(0) : terms).slice(0, MAX_TERMS)
  return {
    terms: kept,
    phrases: phrases.slice(0, MAX_TERMS),
    excluded: excluded.slice(0, MAX_TERMS),
    phrase: wholePhrase(kept),
    kinds,
    project: filters['project'] ?? null,
    session: filters['session'] ?? null,
    tool: filters['tool'] ?? null,
    model: filters['model'] ?? null,
    agent: filters['agent'] ?? null,
    client: filters['client'] ?? null,
    before: filters['before'] ?? null,
    after: filters['after'] ?? null,
  }
}

/** Adds `field:value` to the filters; false if it is not a filter. */
function addFilter(field: string, value: string, filters: { [name: string]: string }, kinds: KindFilter[]): boolean {
  if (value === '') return false
  if (field === 'kind') {
    const found = value
      .toLowerCase()
      .split(',')
      .flatMap((word) => KINDS[word] ?? [])
    kinds.push(...found)
    return found.length > 0
  }
  if (field === 'before' || field === 'after') {
    const time = /^\d{4}(-\d{2}(-\d{2}(T.*)?)?)?$/.test(value) ? Date.parse(value) : Number.NaN
    if (!Number.isFinite(time)) return false
    filters[field] = new Date(time).toISOString()
    return true
  }
  if (!['project', 'session', 'tool', 'model', 'agent', 'client'].includes(field)) return false
  filters[field] = value
  return true
}

/** Builds an FTS5 string. Words contain no quotes, so nothing needs escaping. */
const quote = (words: readonly string[]): string => `"${words.join(' ')}"`
const either = (expressions: readonly string[]): string =>
  expressions.length === 1 ? (expressions[0] ?? '') : `(${expressions.join(' OR ')})`

const NO_OTHERS = { forms: [], synonyms: [], related: [] } as const

/** Splits a space-delimited item into terms; a CJK run is one term. */
function termsOf(text: string, typing: boolean): Term[] {
  const compounds = compoundsOf(text)
  return compounds.flatMap((compound, index) => {
    const prefix = typing && index === compounds.length - 1
    return hasCjk(compound) ? cjkTerms(compound) : [plainTerm(compound, prefix)]
  })
}

function plainTerm(compound: string, prefix: boolean): Term {
  const words = wordsOf(compound)
  const humps = words.flatMap((word) => humpsOf(word))
  const joined = joinedOf(compound)
  const signed = /[+#]$/.test(compound) && words.length === 1 && joined !== null
  const star = prefix ? ' *' : ''
  const ways = signed ? [quote([joined])] : [quote(words) + star]
  if (!signed && joined !== null) ways.push(quote([joined]) + star)
  if (humps.length > 1) ways.push(quote(humps) + star)
  if (prefix && words.length === 1) ways.push(...shorterStems(compound))
  const pieces = [...new Set([...(words.length > 1 ? words : []), ...humps].map(fold))].filter(
    (piece) => piece.length > 1,
  )
  const folded = words.map(fold)
  const alone = folded.length === 1 && !prefix && !signed ? (folded[0] ?? '') : ''
  const forms = formsOf(alone)
  const synonyms = synonymsOf(alone)
  ways.push(...forms.map((form) => quote([form])))
  return {
    raw: compound,
    whole: either(ways),
    pieces: [...pieces.filter((piece) => !isStopWord(piece)), ...synonyms].map((piece) => quote([piece])),
    words: [...new Set([...folded, ...humps.filter((hump) => hump.length > 2)])],
    forms,
    synonyms,
    related: [...new Set([...relatedTo(alone), ...kindsOf(alone)])],
    isStopWord: !signed && (folded.every(isStopWord) || isStopWord(folded.join(''))),
  }
}

/** Stems in the index may be shorter than the text typed so far: `solariz` on the way to `solarized`, stored as `solar`. */
function shorterStems(word: string): string[] {
  return [1, 2, 3, 4]
    .map((cut) => word.slice(0, -cut))
    .filter((stem) => stem.length >= 4)
    .map((stem) => quote([stem]))
}

function cjkTerms(compound: string): Term[] {
  const runs = cjkRunsOf(compound)
  const others = compoundsOf(compound.replaceAll(/./gu, (sign) => (hasCjk(sign) ? ' ' : sign)))
  return [
    ...others.map((word) => plainTerm(word, false)),
    ...runs.map((run): Term => {
      const pairs = pairsOf(run).slice(0, -1)
      const single = pairs.length === 0
      return {
        raw: run,
        whole: single ? `"${run}" *` : quote(pairs),
        pieces: pairs.length > 1 ? pairs.map((pair) => quote([pair])) : [],
        words: single ? [run] : pairs,
        ...NO_OTHERS,
        isStopWord: false,
      }
    }),
  ]
}

function quotedTerm(text: string): Term | null {
  const terms = termsOf(text, false)
  const words = wordsOf(text)
  if (terms.length === 0 || words.length === 0) return null
  const cjk = hasCjk(text)
  return {
    raw: text,
    whole: cjk || terms.length === 1 ? terms.map((term) => term.whole).join(' AND ') : quote(words),
    pieces: [],
    words: cjk ? terms.flatMap((term) => term.words) : words.map(fold),
    ...NO_OTHERS,
    isStopWord: false,
  }
}

function wholePhrase(terms: readonly Term[]): string | null {
  const words = terms.flatMap((term) => wordsOf(term.raw))
  return words.length > 1 && !terms.some((term) => hasCjk(term.raw)) ? quote(words) : null
}

/** Builds an FTS5 expression that requires all words of a text, for any index; null if it has none. */
export function matchWords(text: string): string | null {
  const words = wordsOf(text)
  return words.length === 0
    ? null
    : words
        .slice(0, MAX_TERMS)
        .map((word) => quote([word]))
        .join(' AND ')
}
