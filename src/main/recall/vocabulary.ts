import lists from '../../../resources/words/vocabulary.json' with { type: 'json' }
import { stem } from './stem.ts'

interface Name {
  readonly text: string
  readonly words: readonly string[]
}

/** Names that mean the same, by the stems of a name's words, joined by a blank. */
function tableOf(lines: readonly string[]): Map<string, readonly string[]> {
  const table = new Map<string, readonly string[]>()
  for (const line of lines) {
    const names = line.split(', ').map((text): Name => ({ text, words: text.split(' ') }))
    for (const name of names) {
      const key = keyOf(name.words)
      const others = names.filter((other) => keyOf(other.words) !== key).map(({ text }) => text)
      table.set(key, [...new Set([...(table.get(key) ?? []), ...others])])
    }
  }
  return table
}

const keyOf = (words: readonly string[]): string => words.map(stem).join(' ')

/** Names so close that either counts almost in full. Built on the first search, so that starting the thread does not wait. */
let same: ReadonlyMap<string, readonly string[]> | null = null
/**
 * Developers' vocabulary: names that people use for the same thing. Written by hand on 2026-11-22 from the terms of
 * git, POSIX, HTTP, OAuth, CI services, container and database manuals, where their glossaries list them together; the
 * spellings are those of British and American English. A name with a second meaning in the same work is left out: it
 * does more harm than good. `npm run bench -- recall` measures the benefit of the table.
 */
let vocabulary: ReadonlyMap<string, readonly string[]> | null = null

/** Returns words that mean the same as a folded word. */
export function synonymsOf(word: string): readonly string[] {
  same ??= tableOf(lists.same)
  return same.get(stem(word)) ?? []
}

/** Returns other names for a folded word, or for several in a row; those of several words are separated by blanks. */
export function otherNamesOf(...words: readonly string[]): readonly string[] {
  vocabulary ??= tableOf(lists.names)
  return vocabulary.get(keyOf(words)) ?? []
}
