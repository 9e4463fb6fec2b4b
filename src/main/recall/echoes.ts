import { fold, wordsOf } from '../base/words.ts'
import { lookedUp } from '../store/read/lookup-turns.ts'
import { digestsOf, type FoundDoc } from '../store/read/recall-docs.ts'
import type { Reader } from '../store/read/reader.ts'
import type { RecallQuery } from './query.ts'
import { findsQuestion, questionIn, speakerOf } from './question.ts'
import { stem } from './stem.ts'
import { isStopWord } from './stop-words.ts'
import { ECHO, PASTED } from './weights.ts'

/** A longer prompt says something beside its question, and so does one with a sentence before it. */
const MAX_CHARACTERS = 240
const HAS_STATEMENT = /[.!]\s+\S/

/**
 * Ranks after what may answer the query: prompts that only ask what it asks, if there are several, since they have all of its
 * words, verbatim even, and hardly any others; and all texts of turns that only asked Aspy. A single prompt may be looked for
 * itself; all are if the query is who asked.
 */
export function sinkEchoes(
  reader: Reader,
  query: RecallQuery,
  scores: Map<number, number>,
  { docs, pasted }: { readonly docs: ReadonlyMap<number, FoundDoc>; readonly pasted: readonly number[] },
): void {
  if (questionIn(query.typed)?.asksWhoAsked === true) return
  const asked = new Set(
    [...query.terms, ...query.phrases].flatMap(({ words, forms }) => [...words, ...forms].map(stem)),
  )
  const prompts = [...docs.values()].filter(({ match_type }) => match_type === 'user_prompt').map(({ id }) => id)
  const echoes = [...digestsOf(reader, prompts)].filter(([, text]) => isEcho(text, asked))
  const lookups = lookedUp(reader, [...docs.values()]).map(({ id }) => id)
  for (const id of new Set([...(echoes.length > 1 ? echoes.map(([echo]) => echo) : []), ...lookups])) {
    const score = (scores.get(id) ?? 0) - (pasted.includes(id) ? PASTED : 0)
    scores.set(id, Math.min(score, score * ECHO))
  }
}

function isEcho(text: string, asked: ReadonlySet<string>): boolean {
  if (text.length > MAX_CHARACTERS || HAS_STATEMENT.test(text) || !findsQuestion(text)) return false
  // In a talk, the line that is looked for may itself be a question.
  if (speakerOf(text) !== null) return false
  const own = [...new Set(wordsOf(text).map(fold))].filter((word) => !isStopWord(word))
  const others = own.filter((word) => !asked.has(stem(word))).length
  return others * 2 <= own.length - others
}
