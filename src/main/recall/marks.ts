import { escapedWords, withoutEscapes } from '../base/escapes.ts'
import { fold, hasCjk, humpsOf, isCommit, joinedOf, usualWidth, wordsWithin } from '../base/words.ts'
import { otherNumber } from './spellings.ts'
import { ownStem, stem } from './stem.ts'

/** An occurrence of a query word in a text. */
export interface Mark {
  readonly start: number
  readonly end: number
  /** The word of the query, folded. */
  readonly word: string
}

export interface MarkFinder {
  /**
   * Returns at most `limit` marks in order of position. Only the first `MAX_TEXT` characters are scanned. Without
   * `inAnyForm`, for ranking, what escapes hide and what is written apart is passed by.
   */
  find(text: string, limit?: number, inAnyForm?: boolean): Mark[]
}

const MAX_TEXT = 200_000
const BEYOND_ASCII = /[^\0-\x7f]/
/** Characters before which no word ends: ASCII letters and digits, and any other possible letter. */
const INNER = 'A-Za-z0-9\\x80-\\uffff'
/** Matches words that signs keep apart; one pattern for all queries, since compiling one takes longer than a search in a hit. */
const JOINER = String.raw`[-_.'’/\\:@#\u200c]`
const APART = new RegExp(`(?<![${INNER}])[${INNER}]+(?:${JOINER}{1,2}[${INNER}]+)+`, 'g')
const IS_APART = new RegExp(`[${INNER}]${JOINER}{1,2}[${INNER}]`)
const JOINERS = new RegExp(JOINER, 'g')
const MAY_BE_APART = /^[a-z0-9]{3,}$/
/** Last letters of a stem that may be missing in its words: `probable` is the stem of `probability`. */
const REWRITTEN = 2
/** The beginning of a word of several humps, of a number, or with a letter outside ASCII. */
const UNUSUAL = '[A-Za-z0-9][a-z]*[A-Z0-9\\x80-\\uffff]|[0-9][a-z]|[\\x80-\\uffff]'

/**
 * Finds query words in a text as the index does: folded, stemmed, by the humps of identifiers, CJK by character. An
 * identifier with several of the words has a mark for each (`TurnCheckpointIDs`: turn, checkpoint, id).
 * A word of `prefixes` may go on. `forms` maps other forms to the query word they count as (`went` → `go`).
 */
export function createMarkFinder(
  words: readonly string[],
  prefixes: readonly string[] = [],
  forms: ReadonlyMap<string, string> = new Map(),
): MarkFinder {
  const stems = new Map<string, string>()
  const firstLetters = new Set<string>()
  const beginnings = new Set<string>(prefixes)
  // A Mac writes the names of files with the parts of each syllable apart.
  const runs = words
    .filter(hasCjk)
    .flatMap((run) => [...new Set([run, run.normalize('NFD')])].map((form) => [run, form] as const))
  const hashes = words.filter(isCommit)
  const numbers = numbersOf(words)
  const add = (form: string, word: string) => {
    stems.set(ownStem(form), word)
    firstLetters.add(form.slice(0, 2))
    beginnings.add(form.slice(0, Math.max(2, stem(form).length - REWRITTEN)))
  }
  for (const word of words) if (!hasCjk(word)) add(word, word)
  for (const [form, word] of forms) if (!stems.has(ownStem(form))) add(form, word)
  const candidates = candidatesFor(beginnings)

  function queryWordsFor(match: string): readonly string[] {
    const folded = fold(match)
    // Most words of a text share no first letters with the query: skip stemming them.
    if (firstLetters.has(folded.slice(0, 2))) {
      const known = stems.get(ownStem(folded))
      if (known !== undefined) return [known]
      const begun = prefixes.find((prefix) => folded.startsWith(prefix))
      if (begun !== undefined) return [begun]
    }
    const hash = isCommit(folded) ? hashes.find((begun) => folded.startsWith(begun)) : undefined
    if (hash !== undefined) return [hash]
    const humps = humpsOf(match)
    const wordOf = (hump: string) =>
      stems.get(ownStem(hump)) ?? prefixes.find((prefix) => hump.startsWith(prefix)) ?? []
    return [...new Set(humps.flatMap(wordOf))]
  }

  /** Texts repeat their words, and splitting and stemming one takes longer than looking it up. */
  const seen = new Map<string, readonly string[]>()

  function lookUp(match: string): readonly string[] {
    const known = seen.get(match)
    if (known !== undefined) return known
    const found = queryWordsFor(match)
    seen.set(match, found)
    return found
  }

  /** Marks the words that an escape hides: `break` in `line\\nbreak`. */
  const marksInEscapes = (text: string): Mark[] =>
    [...escapedWords(text)].flatMap(({ word: hidden, start, end }) => [
      ...[...wordsWithin(hidden)].flatMap(([found]) => lookUp(found)).map((word) => ({ start, end, word })),
      ...runs.filter(([, written]) => hidden.includes(written)).map(([run]) => ({ start, end, word: run })),
    ])

  /** Marks what is written apart and was asked for as one word, if it is nowhere else: `Node.js` for `nodejs`. */
  function marksOfJoined(text: string, marks: readonly Mark[]): Mark[] {
    const marked = new Set(marks.map(({ word }) => word))
    const left = new Set(words.filter((word) => !marked.has(word) && MAY_BE_APART.test(word)))
    if (left.size === 0 || !IS_APART.test(text)) return []
    return [...text.matchAll(APART)].flatMap(({ 0: compound, index: start }) => {
      if (!firstLetters.has(compound.replaceAll(JOINERS, '').slice(0, 2).toLowerCase())) return []
      const one = joinedOf(compound)
      const word =
        one === null ? undefined : (stems.get(ownStem(one)) ?? prefixes.find((prefix) => one.startsWith(prefix)))
      return word !== undefined && left.has(word) ? [{ start, end: start + compound.length, word }] : []
    })
  }

  return {
    find(text, limit = 2000, inAnyForm = true) {
      const examined = usualWidth(withoutEscapes(text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text), true)
      const marks: Mark[] = []
      if (stems.size > 0) {
        for (const { text: found, start } of wordsAmong(examined, candidates)) {
          for (const word of lookUp(found)) marks.push({ start, end: start + found.length, word })
          if (marks.length >= limit) break
        }
      }
      for (const [word, grouped] of numbers)
        for (const { 0: found, index } of examined.matchAll(grouped))
          if (marks.length < limit) marks.push({ start: index, end: index + found.length, word })
      for (const [run, written] of runs) {
        for (
          let at = examined.indexOf(written);
          at >= 0 && marks.length < limit;
          at = examined.indexOf(written, at + written.length)
        ) {
          marks.push({ start: at, end: at + written.length, word: run })
        }
      }
      if (inAnyForm) marks.push(...marksInEscapes(examined), ...marksOfJoined(examined, marks))
      return marks.slice(0, limit).sort((a, b) => a.start - b.start || b.end - a.end)
    },
  }
}

/** Returns numbers and versions with what matches their other spellings. */
const numbersOf = (words: readonly string[]): (readonly [word: string, written: RegExp])[] =>
  words.flatMap((word) => {
    const written = otherNumber(word)
    return written === null ? [] : [[word, written] as const]
  })

/**
 * Matches text that may contain query words: words that begin like one or have several humps, and all non-ASCII text.
 * Most words of a text are neither, and examining each would take most of a search's time.
 */
function candidatesFor(beginnings: ReadonlySet<string>): RegExp {
  const patterns = [...beginnings]
    .filter((beginning) => /^[a-z0-9]+$/.test(beginning))
    .map((beginning) => beginning.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`))
  return new RegExp(`(?<![${INNER}])(?:${[...patterns, UNUSUAL].join('|')})[${INNER}]*`, 'g')
}

/** Yields the words of a text that match the candidates, in order. */
function* wordsAmong(text: string, candidates: RegExp): Generator<{ readonly text: string; readonly start: number }> {
  for (const { 0: run, index } of text.matchAll(candidates)) {
    if (!BEYOND_ASCII.test(run)) yield { text: run, start: index }
    else for (const { 0: word, index: at } of wordsWithin(run)) yield { text: word, start: index + at }
  }
}
