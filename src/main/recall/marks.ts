import { fold, hasCjk, humpsOf } from '../base/words.ts'
import { stem } from './stem.ts'

/** A place in a text where a word of the query stands. */
export interface Mark {
  readonly start: number
  readonly end: number
  /** The word of the query, folded. */
  readonly word: string
}

export interface MarkFinder {
  /** Places in order, at most `most`; texts beyond `MAX_TEXT` characters are looked at that far. */
  find(text: string, most?: number): Mark[]
}

const MAX_TEXT = 200_000
const WORD = /[\p{L}\p{N}]+/gu

/**
 * Finds the words of a query in a text as the index does: folded, stemmed, by the humps of identifiers, CJK by character.
 * `forms`: other words that count as one of the query, as `went` does for `go`.
 */
export function createMarkFinder(
  words: readonly string[],
  prefix: string | null = null,
  forms: ReadonlyMap<string, string> = new Map(),
): MarkFinder {
  const stems = new Map<string, string>()
  const beginnings = new Set<string>()
  const runs = words.filter(hasCjk)
  for (const word of words) {
    if (hasCjk(word)) continue
    stems.set(stem(word), word)
    beginnings.add(word.slice(0, 2))
  }

  for (const [form, word] of forms) {
    if (stems.has(stem(form))) continue
    stems.set(stem(form), word)
    beginnings.add(form.slice(0, 2))
  }

  function wordAt(found: string): string | undefined {
    const folded = fold(found)
    // Most words of a text begin like none of the query: they are not worth a stem.
    if (beginnings.has(folded.slice(0, 2))) {
      const known = stems.get(stem(folded))
      if (known !== undefined) return known
      if (prefix !== null && folded.startsWith(prefix)) return prefix
    }
    return humpsOf(found)
      .map((hump) => stems.get(stem(hump)))
      .find((known) => known !== undefined)
  }

  return {
    find(text, most = 2000) {
      const examined = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text
      const marks: Mark[] = []
      if (stems.size > 0) {
        for (const found of examined.matchAll(WORD)) {
          const word = wordAt(found[0])
          if (word !== undefined) marks.push({ start: found.index, end: found.index + found[0].length, word })
          if (marks.length >= most) break
        }
      }
      for (const run of runs) {
        for (
          let at = examined.indexOf(run);
          at >= 0 && marks.length < most;
          at = examined.indexOf(run, at + run.length)
        ) {
          marks.push({ start: at, end: at + run.length, word: run })
        }
      }
      return marks.sort((a, b) => a.start - b.start || b.end - a.end)
    },
  }
}
