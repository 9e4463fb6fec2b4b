import type { Hit } from '../../shared/contract/recall.ts'
import { withoutEscapes } from '../base/escapes.ts'
import { patternOf } from '../base/quotation.ts'
import { usualWidth, wordsOf } from '../base/words.ts'
import { createMarkFinder, type Mark } from './marks.ts'
import type { SearchResult } from './search.ts'
import { confusedWith } from './stem.ts'
import type { RecallQuery } from './query.ts'
import { beginningsOf, eachOf, tellingOf } from './terms.ts'

/** Words of a search in a text. */
interface Marked extends Pick<Hit, 'related' | 'beside'> {
  readonly marks: readonly Mark[]
}

/** Creates a finder for the words of a search, and for other names of them in a text that has none. */
export function finderFor(result: SearchResult): (text: string) => Marked {
  const { words, prefixes, forms, otherNames, isQuestion } = result
  const own = createMarkFinder(words, prefixes, forms)
  const quoted = quotedMarks(result)
  const names = [...otherNames, ...words.flatMap(confusedWith)].map((name) => wordsOf(name))
  const others = createMarkFinder(names.flat())
  return (text) => {
    const marks = quoted(own.find(text), text)
    if (marks.length > 0) return { marks }
    const related = wholeNames(others.find(text), names, text)
    if (related.length > 0) return { marks: related, related: true }
    return isQuestion ? { marks, beside: true } : { marks }
  }
}

/** Returns the words of a query that are marked in its hits. */
export function wordsToMark({ terms, phrases }: RecallQuery) {
  const all = eachOf([...terms, ...phrases])
  const telling = all.filter(({ isStopWord }) => !isStopWord)
  const significant = telling.length > 0 ? telling : all
  return {
    words: [...new Set(significant.flatMap(({ words }) => tellingOf(words)))],
    otherNames: [...new Set(significant.flatMap(({ synonyms, related }) => [...synonyms, ...related]))],
    forms: new Map(
      significant.flatMap(({ words, forms }) => forms.map((form) => [form, tellingOf(words)[0] ?? form] as const)),
    ),
    prefixes: beginningsOf(terms),
  }
}

/** Returns a function that leaves out words of quotations elsewhere in a text, if it has a quotation itself. */
function quotedMarks({ query }: SearchResult) {
  const patterns = query.phrases.map(({ raw }) => new RegExp(patternOf(raw), 'gu'))
  const others = new Set(eachOf(query.terms).flatMap(({ words }) => words))
  return (marks: readonly Mark[], text: string): readonly Mark[] => {
    if (patterns.length === 0) return marks
    const plain = usualWidth(withoutEscapes(text), true).toLowerCase()
    const found = patterns.flatMap((pattern) => [...plain.matchAll(pattern)])
    const isQuoted = ({ start }: Mark) =>
      found.some(({ 0: own, index }) => index <= start && start < index + own.length)
    return found.length === 0 ? marks : marks.filter((mark) => others.has(mark.word) || isQuoted(mark))
  }
}

/** Leaves out words that are only a part of a name: `up` of `clean up`. */
function wholeNames(marks: readonly Mark[], names: readonly (readonly string[])[], text: string): readonly Mark[] {
  const follows = (mark: Mark | undefined, next: Mark | undefined) =>
    mark !== undefined && next !== undefined && !/[\p{L}\p{N}]/u.test(text.slice(mark.end, next.start))
  const isAt = (name: readonly string[], from: number) =>
    name.every(
      (word, place) =>
        marks[from + place]?.word === word && (place === 0 || follows(marks[from + place - 1], marks[from + place])),
    )
  return marks.filter((mark, at) =>
    names.some((name) => name.some((word, place) => word === mark.word && isAt(name, at - place))),
  )
}
