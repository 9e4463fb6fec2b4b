import { lastCharacters } from '../../shared/cut-text.ts'
import { toolShape } from '../../shared/tool-shape.ts'
import { cutAt } from './pack.ts'
import type { CallInput } from './tool-actions.ts'

/** Only the end of an answer is searched, in characters: a question to the user comes last. */
const TAIL = 1200
const MOST = 400
/** Sentences that may follow the question: choices, or next steps. */
const MAX_AFTER = 6

/** Returns the last question at the end of an answer; null if there is none. */
export function lastQuestionIn(answer: string): string | null {
  const tail = answer
    .replaceAll(/```[\s\S]*?(?:```|$)/g, ' ')
    .slice(-TAIL)
    .trimEnd()
  // A full stop inside a word, as in `a.test.ts`, does not end a sentence.
  const sentences = tail.split(/(?<=[.!?]["'”’)*_`]*)\s+(?=\S)|\n+/u)
  const at = sentences.findLastIndex((sentence) => /\?["'”’)*_`]*$/u.test(sentence.trim()))
  const question = sentences[at]
  if (question === undefined) return null
  // Much text follows it, so it was not left for the user.
  const after = sentences.slice(at + 1).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
  if (after.length > MAX_AFTER) return null
  const text = question
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s"'“‘(*_#>-]+/, '')
    .trim()
  return text.length > MOST ? `…${lastCharacters(text, MOST)}` : text
}

/** Returns the question of a tool call to the user; null if it has none. */
export function questionOfCall({ tool_name, input }: CallInput): string | null {
  const shape = toolShape(tool_name, input)
  return shape.kind === 'question' ? cutAt(shape.questions.map(({ text }) => text.trim()).join(' '), MOST) : null
}
