import words from '../../../resources/words/stop-words.json' with { type: 'json' }

/** Words too common to show what a question or a text is about. The only such list in the app. */
const STOP_WORDS: ReadonlySet<string> = new Set(words)

/** Checks a folded word. */
export const isStopWord = (word: string): boolean => STOP_WORDS.has(word)
