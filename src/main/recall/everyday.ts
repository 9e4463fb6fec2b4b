import groups from '../../../resources/words/everyday.json' with { type: 'json' }
import { stem } from './stem.ts'

/** Everyday English, for conversations that are not about code. */
function tableOfGroups(): Map<string, string[]> {
  const table = new Map<string, string[]>()
  for (const group of groups) {
    const words = group.split(', ')
    for (const word of words) {
      const others = words.filter((other) => other !== word)
      const stemmed = stem(word)
      table.set(stemmed, [...(table.get(stemmed) ?? []), ...others])
    }
  }
  return table
}

/** Built on the first search, so that starting the thread does not wait for it. */
let everyday: Map<string, string[]> | null = null

/** Returns everyday words with a similar meaning. They are hints and weigh less than the word itself. */
export function relatedTo(word: string): readonly string[] {
  everyday ??= tableOfGroups()
  return everyday.get(stem(word)) ?? []
}
