import { neighboursOf, type FoundDoc, textOf } from '../store/read/recall-docs.ts'
import type { Reader } from '../store/read/reader.ts'
import {
  bestOf,
  digestScanner,
  type QueryWord,
  finderOf,
  frequencyValue,
  scanText,
  MAX_CHARACTERS,
  type TextScan,
  proximityOf,
} from './closeness.ts'
import { answersAs, isQuestion, type Question, speakerOf, type Speech, speechIn } from './question.ts'
import { SHORT_CHARACTERS, TALK } from './weights.ts'

interface Candidate extends Speech {
  readonly doc: FoundDoc
  readonly own: TextScan
}

/** Texts whose speakers decide whether the hits are a conversation between people. */
const LOOKED_AT = 8

/** Checks whether at least half of the best hits begin with a speaker's name, as in a transcript of people. */
export function isTalk(reader: Reader, docs: readonly FoundDoc[]): boolean {
  const some = docs.slice(0, LOOKED_AT)
  const spoken = some.filter((doc) => speakerOf(textOf(reader, doc).slice(0, 200)) !== null)
  return some.length > 0 && spoken.length * 2 >= some.length
}

/**
 * Scores how well each text of a talk may answer a question, from about 0 to 3. Unlike in work with an agent, an answer is
 * short, its question may be three texts away, and who speaks matters. Keyed by document id.
 */
export function talkAnswersIn(
  reader: Reader,
  docs: readonly FoundDoc[],
  queryWords: readonly QueryWord[],
  question: Question,
): Map<number, number> {
  const finder = finderOf(queryWords)
  const weights = new Map(queryWords.map(({ word, weight }) => [word, weight]))
  const all = queryWords.reduce((sum, { weight }) => sum + weight, 0) || 1
  const candidates = docs.map((doc): Candidate => {
    const text = textOf(reader, doc).slice(0, MAX_CHARACTERS)
    return { doc, own: scanText(finder, text, weights), ...speechIn(text, (name) => weights.has(name)) }
  })
  // If the question names none of the speakers, the speaker does not count.
  const speakers = candidates.some(({ spoken }) => spoken === 1) ? TALK.speaker : 0
  const sessions = sessionsOf(candidates, queryWords)
  const scanDigest = digestScanner(finder)

  function scoreOf({ doc, own, said, spoken }: Candidate): number {
    const around = neighboursOf(reader, doc, TALK.before.length)
    const followsQuestion = around.some(({ distance, digest }) => distance === -1 && isQuestion(digest))
    const near = around.map((neighbour) => {
      const { distance } = neighbour
      const worth = (distance < 0 ? TALK.before : TALK.after)[Math.abs(distance) - 1] ?? 0
      return {
        counts: scanDigest(neighbour).counts,
        worth: distance === -1 && followsQuestion ? worth + TALK.askedBefore : worth,
      }
    })
    const worthOf = (word: string) =>
      frequencyValue(own, word) + near.reduce((sum, { counts, worth }) => sum + (counts.has(word) ? worth : 0), 0)
    let held = 0
    let covered = 0
    for (const one of queryWords) {
      const worth = bestOf(one, worthOf)
      held += one.weight * worth
      covered += one.weight * Math.min(1, worth)
    }
    const kind = answersAs(question, said)
    return (
      (held + TALK.proximity * proximityOf(own.marks, weights)) / all +
      TALK.coverage * (covered / all) ** 2 +
      TALK.session * ((sessions.get(doc.session_id) ?? 0) / all) +
      speakers * spoken +
      (followsQuestion ? TALK.followsQuestion : 0) +
      (isQuestion(said) ? TALK.isQuestion : 0) +
      (kind.when ? TALK.namesTime : 0) +
      (kind.howMany ? TALK.namesNumber : 0) +
      TALK.short * Math.exp(-said.length / SHORT_CHARACTERS)
    )
  }
  return new Map(candidates.map((candidate) => [candidate.doc.id, scoreOf(candidate)]))
}

/** Returns the total weight of the asked words found anywhere among each session's candidates. */
function sessionsOf(candidates: readonly Candidate[], queryWords: readonly QueryWord[]): Map<string, number> {
  const sessions = new Map<string, number>()
  for (const [session, own] of Map.groupBy(candidates, ({ doc }) => doc.session_id)) {
    const has = (word: string) => own.some(({ own: { counts } }) => counts.has(word))
    sessions.set(
      session,
      queryWords.reduce((sum, one) => sum + one.weight * bestOf(one, (word) => Number(has(word))), 0),
    )
  }
  return sessions
}
