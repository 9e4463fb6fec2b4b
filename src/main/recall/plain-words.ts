import plainWords from '../../../resources/words/plain-words.json' with { type: 'json' }
import { stem } from './stem.ts'

/**
 * Stems of the English words that are one likely mistake away from another word, such as `bloom` from `boom`. Of all words
 * of SCOWL (size 35, 2020.12.07) these have such a neighbour among the words of 660 README files, chosen on 2026-11-23, or
 * among the words of SCOWL itself. Built with the first misspelt word.
 */
let stems: ReadonlySet<string> | null = null

/** Checks whether a folded word is an English word, so that it is not a misspelling of another. */
export function isPlainWord(word: string): boolean {
  stems ??= new Set(plainWords.map(stem))
  return stems.has(stem(word))
}
