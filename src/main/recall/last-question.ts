import { cutAt } from './pack.ts'

/** Only the end of an answer is searched, in characters: a question to the user comes last. */
const TAIL = 1200
const MOST = 400
/** Sentences that may follow the question: choices, or what happens next. */
const MOST_AFTER = 6

/** Returns the last question at the end of an answer; null if it asks nothing there. */
export function lastQuestionIn(answer: string): string | null {
  const tail = answer
    .replaceAll(/```[\s\S]*?(?:```|$)/g, ' ')
    .slice(-TAIL)
    .trimEnd()
  // A full stop inside a word, as in `a.test.ts`, ends no sentence.
  const sentences = tail.split(/(?<=[.!?]["'”’)*_`]*)\s+(?=\S)|\n+/u)
  const at = sentences.findLastIndex((sentence) => /\?["'”’)*_`]*$/u.test(sentence.trim()))
  const question = sentences[at]
  if (question === undefined) return null
  // Much is said after it: it was not left for the user.
  const after = sentences.slice(at + 1).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
  if (after.length > MOST_AFTER) return null
  const text = question
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s"'“‘(*_#>-]+/, '')
    .trim()
  return text.length > MOST ? `…${text.slice(-MOST).toWellFormed()}` : text
}

/** Returns the question of a tool call that asks the user: `{questions: [{question}]}` or `{question}`. */
export function questionOfCall(input: { readonly [name: string]: unknown }): string | null {
  const { question, questions } = input
  if (typeof question === 'string' && question.trim() !== '') return cutAt(question.trim(), MOST)
  if (!Array.isArray(questions)) return null
  const texts = questions.flatMap((each: unknown) => {
    if (typeof each !== 'object' || each === null) return []
    const { question: text } = each as { readonly question?: unknown }
    return typeof text === 'string' && text.trim() !== '' ? [text.trim()] : []
  })
  return texts.length === 0 ? null : cutAt(texts.join(' '), MOST)
}
