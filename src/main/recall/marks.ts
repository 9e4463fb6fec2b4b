import { fold, hasCjk, humpsOf } from '../base/words.ts'
import { stem } from './stem.ts'

/** An occurrence of a query word in a text. */
export interface Mark {
  readonly start: number
  readonly end: number
  /** The word of the query, folded. */
  readonly word: string
}

export interface MarkFinder {
  /** Returns at most `limit` marks in order of position. Only the first `MAX_TEXT` characters are scanned. */
  find(text: string, limit?: number): Mark[]
}

const MAX_TEXT = 200_000
const WORD = /[\p{L}\p{N}]+/gu

/**
 * Finds query words in a text as the index does: folded, stemmed, by the humps of identifiers, CJK by character. An
 * identifier with several of the words has a mark for each (`TurnCheckpointIDs`: turn, checkpoint, id).
 * `forms` maps other forms to the query word they count as (`went` → `go`).
 */
export function createMarkFinder(
  words: readonly string[],
  prefix: string | null = null,
  forms: ReadonlyMap<string, string> = new Map(),
): MarkFinder {
  const stems = new Map<string, string>()
  const firstLetters = new Set<string>()
  const runs = words.filter(hasCjk)
  for (const word of words) {
    if (hasCjk(word)) continue
    stems.set(stem(word), word)
    firstLetters.add(word.slice(0, 2))
  }

  for (const [form, word] of forms) {
    if (stems.has(stem(form))) continue
    stems.set(stem(form), word)
    firstLetters.add(form.slice(0, 2))
  }

  function queryWordsFor(match: string): readonly string[] {
    const folded = fold(match)
    // Most words of a text share no first letters with the query: skip stemming them.
    if (firstLetters.has(folded.slice(0, 2))) {
      const known = stems.get(stem(folded))
      if (known !== undefined) return [known]
      if (prefix !== null && folded.startsWith(prefix)) return [prefix]
    }
    const humps = humpsOf(match)
    return humps.length === 0 ? [] : [...new Set(humps.flatMap((hump) => stems.get(stem(hump)) ?? []))]
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

  return {
    find(text, limit = 2000) {
      const examined = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text
      const marks: Mark[] = []
      if (stems.size > 0) {
        for (const match of examined.matchAll(WORD)) {
          const [start, end] = [match.index, match.index + match[0].length]
          for (const word of lookUp(match[0])) marks.push({ start, end, word })
          if (marks.length >= limit) break
        }
      }
      for (const run of runs) {
        for (
          let at = examined.indexOf(run);
          at >= 0 && marks.length < limit;
          at = examined.indexOf(run, at + run.length)
        ) {
          marks.push({ start: at, end: at + run.length, word: run })
        }
      }
      return marks.sort((a, b) => a.start - b.start || b.end - a.end)
    },
  }
}
