import { snippetText } from '../../lib/snippet.ts'
import { foldPrompts } from './fold-prompts.ts'

interface Prompt {
  readonly content: string
  readonly asked?: number | undefined
}

const MOST_ASKED = 5
/** A word that is long enough to tell something. */
const WORD = /\p{L}{6,}/gu
/** More than `yes` or `/exit`. */
const SAYS_SOMETHING = /\s|\p{L}{6}/u

/** Returns the prompts that were sent more than once and say something, the most frequent first; the list is newest first. */
export const keptAsking = <P extends Prompt>(prompts: readonly P[]): P[] =>
  foldPrompts(prompts)
    .filter(({ asked = 1, content }) => asked > 1 && SAYS_SOMETHING.test(content.trim()))
    .toSorted((one, other) => (other.asked ?? 1) - (one.asked ?? 1))
    .slice(0, MOST_ASKED)

/** Returns the longest word of the newest prompt that has one, which a search is sure to find. */
export function exampleIn(prompts: readonly Prompt[]): string | null {
  for (const { content } of prompts) {
    const words = snippetText(content).match(WORD) ?? []
    const [longest] = words.toSorted((one, other) => other.length - one.length)
    if (longest !== undefined) return longest.toLowerCase()
  }
  return null
}
