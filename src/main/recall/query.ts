import { plainLetters } from '../base/words.ts'
import {
  FILTER_NAMES,
  type FilterName,
  type Filters,
  isFilterName,
  isKindName,
  isNarrowed,
  NO_FILTERS,
  type KindFilter,
  kindsNamed,
} from './filters.ts'
import { excludesNext, groupsWords, isBegun, isOrBetween, minusWordIn } from './operators.ts'
import { eitherOf, readSpan, type Span, TIMES, type TypedSpan } from './query-times.ts'
import { MAX_TERMS, searchedPart } from './searched-part.ts'
import { eachOf, joinedByOr, quotedTerm, wholePhrase, type Term, termsOf, withNamesOfPairs } from './terms.ts'

/** Stored values that hits must not have: `NOT project:shop`, `-kind:thinking`. */
export interface ExcludedValues extends Partial<Filters> {
  readonly kinds?: readonly KindFilter[]
  readonly spans?: readonly Span[]
}

/** A `name:value` that is searched as text, because no filter has this name or nothing stored has this value. */
export interface FilterAsText {
  readonly name: string
  readonly value: string
}

/** A parsed search. */
export interface RecallQuery extends Filters {
  readonly terms: readonly Term[]
  /** Quoted: every hit must contain them. */
  readonly phrases: readonly Term[]
  readonly excluded: readonly Term[]
  /** All words in order as one phrase; null for a single word, or if the query has CJK. */
  readonly phrase: string | null
  readonly kinds: readonly KindFilter[]
  readonly not: ExcludedValues
  /** ISO 8601. */
  readonly before: string | null
  readonly after: string | null
  readonly asText: readonly FilterAsText[]
  /** Excluded values that nothing stored has. */
  readonly unknown: readonly FilterAsText[]
  /** What was typed, without filters and exclusions. */
  readonly typed: string
  /** Words typed as `-word`: searched as text, although they may have been meant to be excluded. */
  readonly minusWords: readonly string[]
  /** True if parentheses are around what OR should join: they are ignored. */
  readonly hasGroups: boolean
}

/** Returns the stored values that match a filter; empty if there is none. */
export type LookUp = (name: FilterName, value: string) => readonly string[]

export interface ParseOptions {
  /** The last word is still being typed. */
  readonly prefix?: boolean
  /** Default: every value is stored as typed. */
  readonly lookUp?: LookUp
  /** Milliseconds since 1970, for dates such as `yesterday`. Default: the clock. */
  readonly now?: number
  /** IANA name of the time zone of dates; default: the local one. */
  readonly zone?: string | undefined
  /** Quotations rank a text higher but are not required. */
  readonly softQuotes?: boolean
}

const ITEM = /((?<!\S)(?:-(?=[a-z_]+:\S|")|[–−](?=[a-z_]+:\S))|(?<!\S)NOT\s+)?(?:([a-z_]+):)?(?:"([^"]*)"|(\S+))/giuy

/**
 * Parses a search as people type it. Never fails: everything except filters, quotes and negations is treated as words.
 */
export const parseQuery = (text: string, options: ParseOptions = {}): RecallQuery =>
  new QueryParser(text, options).parse()

/** A number with its thousands apart, but not in a quotation. */
const GROUPED = /"[^"]*"|(?<![\d.,\w])\d{1,3}(?:,\d{3})+(?![\d,\w])/g

class QueryParser {
  readonly #text: string
  readonly #options: ParseOptions
  readonly #terms: Term[] = []
  readonly #phrases: Term[] = []
  readonly #excluded: Term[] = []
  readonly #filters: Partial<Record<FilterName, string[]>> = {}
  readonly #kinds: KindFilter[] = []
  readonly #not: { -readonly [Name in keyof ExcludedValues]: ExcludedValues[Name] } = {}
  readonly #asText: FilterAsText[] = []
  readonly #unknown: FilterAsText[] = []
  readonly #typed: string[] = []
  readonly #minusWords: string[] = []
  readonly #days: Span[] = []
  #between: readonly Span[] = []
  /** The terms of the last item, at the end of their list; null after a filter or an exclusion. */
  #operand: { readonly list: Term[]; readonly count: number } | null = null
  #isOr = false
  #before: string | null = null
  #after: string | null = null

  constructor(text: string, options: ParseOptions) {
    const normal = plainLetters(searchedPart(text).normalize('NFC')).replaceAll(GROUPED, (number) =>
      number.startsWith('"') ? number : number.replaceAll(',', ''),
    )
    // An unclosed quote is ignored.
    this.#text = (normal.split('"').length - 1) % 2 === 0 ? normal : normal.replace(/"(?=[^"]*$)/, ' ')
    this.#options = options
  }

  parse(): RecallQuery {
    for (let at = 0; at < this.#text.length;) {
      at += /^\s*/.exec(this.#text.slice(at))?.[0].length ?? 0
      ITEM.lastIndex = at
      const item = ITEM.exec(this.#text)
      if (item === null) break
      at += Math.max(1, this.#read(item, at))
    }
    const spans = [...(this.#not.spans ?? []), ...this.#between]
    const filters = {
      ...NO_FILTERS,
      ...this.#filters,
      kinds: this.#kinds,
      not: spans.length === 0 ? this.#not : { ...this.#not, spans },
      before: this.#before,
      after: this.#after,
    }
    // A query of only exclusions is treated as words: what a message says in capitals, for example.
    const isOfWords = this.#terms.length + this.#phrases.length > 0 || isNarrowed(filters)
    const terms = withNamesOfPairs((isOfWords ? this.#terms : this.#excluded.splice(0)).slice(0, MAX_TERMS))
    return {
      ...filters,
      terms,
      phrases: this.#phrases.slice(0, MAX_TERMS),
      excluded: this.#excluded.slice(0, MAX_TERMS),
      phrase: wholePhrase(terms),
      asText: this.#asText,
      unknown: this.#unknown,
      typed: this.#typed.join(' '),
      minusWords: this.#minusWords,
      hasGroups: groupsWords(this.#text),
    }
  }

  /** Reads one item and returns its length in characters. */
  #read(item: RegExpExecArray, at: number): number {
    const [whole, typedSign, name, quoted, bare] = item
    if (whole === 'OR' && isOrBetween(this.#text, at)) {
      this.#isOr = true
      this.#typed.push(whole)
      return whole.length
    }
    const sign = typedSign?.replace(/[–−]/, '-')
    const isOfFilter = name !== undefined && isFilterName(name.toLowerCase())
    const negated = sign !== undefined && (sign === '-' || isOfFilter || excludesNext(this.#text, at))
    if (sign !== undefined && !negated) {
      this.#terms.push(...termsOf('NOT', false))
      this.#typed.push('NOT')
      return sign.length
    }
    const value = quoted ?? bare ?? ''
    if (name !== undefined) {
      const valueAt = at + (sign ?? '').length + name.length + 1
      const taken = negated
        ? this.#exclude(name.toLowerCase(), value, valueAt)
        : this.#filter(name.toLowerCase(), value, valueAt)
      if (taken !== null) {
        this.#operand = null
        return taken === 0 ? whole.length : valueAt - at + taken
      }
    }
    const words = `${name === undefined ? '' : `${name}:`}${value}`
    if (!negated || (sign === '-' && name !== undefined)) this.#typed.push(whole)
    // An option of a command, or a filter that does not exist.
    if (sign === '-' && name !== undefined) this.#words(`-${words}`, false, at + whole.length === this.#text.length)
    else if (quoted !== undefined) this.#quote(words, negated)
    else this.#words(words, negated, at + whole.length === this.#text.length)
    return whole.length
  }

  #quote(words: string, negated: boolean): void {
    const unquoted = quotedTerm(words)
    if (unquoted === null) return
    const term = { ...unquoted, isQuoted: true } as const
    const isSoft = this.#options.softQuotes === true && !negated
    this.#add(negated ? this.#excluded : isSoft ? this.#terms : this.#phrases, [term], negated)
    if (isSoft) this.#terms.push(...termsOf(words, false))
  }

  /** Adds the terms of an item; after OR, as the other side of the item before. */
  #add(list: Term[], found: readonly Term[], negated: boolean): void {
    const tells = (terms: readonly Term[]) => terms.some(({ isStopWord }) => !isStopWord)
    const before = this.#isOr && !negated ? this.#operand : null
    this.#isOr = false
    if (before !== null && eachOf(before.list.slice(-before.count)).length >= MAX_TERMS) return
    const isJoined = before !== null && tells(found) && tells(before.list.slice(-before.count))
    const to = isJoined ? this.#terms : list
    const terms = isJoined ? [joinedByOr(before.list.splice(-before.count), found)] : found
    to.push(...terms)
    this.#operand = negated || terms.length === 0 ? null : { list: to, count: terms.length }
  }

  #words(words: string, negated: boolean, isLast: boolean): void {
    const typing = isBegun(words) || (this.#options.prefix === true && isLast && /[\p{L}\p{N}]$/u.test(words))
    const terms = termsOf(words, typing)
    this.#add(negated ? this.#excluded : this.#terms, terms, negated)
    const minus = minusWordIn(words)
    if (minus !== undefined && !negated) this.#minusWords.push(minus)
  }

  /**
   * Adds a filter. Returns null if there is no such filter or value. Otherwise returns the length of its value if that
   * goes beyond the item, as a date of several words may, or 0.
   */
  #filter(name: string, value: string, valueAt: number): number | null {
    if (value === '') return null
    const time = TIMES[name]
    if (time !== undefined) return this.#time(time, name, value, valueAt)
    if (isKindName(name)) {
      const kinds = kindsNamed(value)
      this.#kinds.push(...kinds)
      if (kinds.length === 0) this.#asTyped(name, value)
      return kinds.length === 0 ? null : 0
    }
    const known = FILTER_NAMES.find((one) => one === name)
    if (known === undefined) return null
    const found = this.#options.lookUp?.(known, value) ?? [value]
    if (found.length === 0) return known === 'project' && value.toLowerCase() === 'all' ? 0 : this.#asTyped(name, value)
    this.#filters[known] = [...(this.#filters[known] ?? []), ...found]
    return 0
  }

  /**
   * Excludes a filter's selection. Returns null if there is no such filter, otherwise the same as `#filter`. A value that
   * nothing has excludes nothing.
   */
  #exclude(name: string, value: string, valueAt: number): number | null {
    const time = TIMES[name]
    if (time !== undefined) {
      const read = this.#span(time, value, valueAt)
      if (read === null) return this.#excludeUnknown(name, value)
      if (time === 'on') this.#not.spans = [...(this.#not.spans ?? []), read]
      // The filter for "not before a day": from its beginning on.
      else if (time === 'after') this.#before = read.from
      else this.#after = time === 'until' ? read.to : read.from
      return read.length
    }
    if (isKindName(name)) {
      const kinds = kindsNamed(value)
      this.#not.kinds = [...(this.#not.kinds ?? []), ...kinds]
      return kinds.length === 0 ? this.#excludeUnknown(name, value) : 0
    }
    const known = FILTER_NAMES.find((one) => one === name)
    if (known === undefined) return null
    const found = this.#options.lookUp?.(known, value) ?? [value]
    if (found.length === 0) return this.#excludeUnknown(name, value)
    this.#not[known] = [...(this.#not[known] ?? []), ...found]
    return 0
  }

  #excludeUnknown(name: string, value: string): 0 | null {
    if (value === '') return null
    this.#unknown.push({ name, value })
    return 0
  }

  /** Searches `name:value` as the two words in this order only. */
  #asTyped(name: string, value: string): 0 | null {
    this.#asText.push({ name, value })
    this.#typed.push(`${name}:${value}`)
    const term = quotedTerm(`${name}:${value}`)
    if (term === null) return null
    this.#terms.push(term)
    return 0
  }

  #time(kind: 'after' | 'before' | 'until' | 'on', name: string, value: string, valueAt: number): number | null {
    const read = this.#span(kind, value, valueAt)
    if (read === null) return this.#asTyped(name, value)
    if (kind === 'after') this.#after = read.from
    if (kind === 'before' || kind === 'until') this.#before = kind === 'until' ? read.to : read.from
    if (kind === 'on') {
      this.#days.push(read)
      const { from, to, between } = eitherOf(this.#days)
      this.#after = from
      this.#before = to
      this.#between = between
    }
    return read.length
  }

  /** Reads a time; `length` is 0 if it is quoted. */
  #span(kind: string, value: string, valueAt: number): TypedSpan | null {
    const isQuoted = this.#text[valueAt] === '"'
    const read = readSpan(isQuoted ? value : this.#text.slice(valueAt), this.#options, kind === 'on')
    return read === null || !isQuoted ? read : { ...read, length: 0 }
  }
}
