import { neighboursOf, type Neighbour, type RecallDocRow, textOf } from '../store/read/recall-docs.ts'
import type { Reader } from '../store/read/reader.ts'
import { type AskedWord, finderOf, frequencyValue, look, MOST_CHARACTERS, type Seen, together } from './closeness.ts'
import { answersAs, type Question, speakerOf } from './question.ts'
import { fold } from '../base/words.ts'

/** What a word is worth that stands so many texts before or after. */
const BEFORE = [0.8, 0.45, 0.15] as const
const AFTER = [0.45, 0.3, 0.15] as const
/** What a word in a question is worth more to what follows it. */
const ASKED_BEFORE = 0.2
const FOLLOWS_QUESTION = 0.15
const IS_QUESTION = -0.1
const SPEAKER = 0.3
const NAMES_TIME = 0.3
const NAMES_NUMBER = 0.15
/** Words of the question that no text holds alone, but the session does. */
const SESSION = 0.4
/** What it adds that words are found in one place. */
const COVERAGE = 0.3
const PROXIMITY = 0.1
/** A text as short as this says hardly anything by itself. */
const SHORT_CHARACTERS = 60
const SHORT = -0.15

interface Candidate {
  readonly doc: RecallDocRow
  readonly own: Seen
  readonly said: string
  /** 1: the question names who speaks; -1: somebody else speaks. */
  readonly spoken: -1 | 0 | 1
}

/**
 * How well texts may answer a question, about 0 to 3: what of its words they hold and what is said around them, who speaks, what
 * kind of answer is wanted.
 */
export function answersIn(
  reader: Reader,
  docs: readonly RecallDocRow[],
  asked: readonly AskedWord[],
  question: Question,
): Map<number, number> {
  const finder = finderOf(asked)
  const weights = new Map(asked.map(({ word, weight }) => [word, weight]))
  const all = asked.reduce((sum, { weight }) => sum + weight, 0) || 1
  const candidates = docs.map((doc): Candidate => {
    const text = textOf(reader, doc).slice(0, MOST_CHARACTERS)
    const speaker = speakerOf(text)
    const isNamed = speaker?.names.some((name) => weights.has(fold(name))) === true
    const said = speaker?.said ?? text
    return { doc, own: look(finder, text), said, spoken: speaker === null ? 0 : isNamed ? 1 : -1 }
  })
  // Where the question names nobody who speaks, it does not matter who does.
  const speakers = candidates.some(({ spoken }) => spoken === 1) ? SPEAKER : 0
  const sessions = sessionsOf(candidates, asked)
  const digests = new Map<number, Seen>()
  const seeDigest = ({ id, digest }: Neighbour): Seen => {
    const seen = digests.get(id) ?? look(finder, digest)
    digests.set(id, seen)
    return seen
  }

  function scoreOf({ doc, own, said, spoken }: Candidate): number {
    const around = neighboursOf(reader, doc, BEFORE.length)
    const followsQuestion = around.some(({ distance, digest }) => distance === -1 && isQuestion(digest))
    const near = around.map((neighbour) => {
      const { distance } = neighbour
      const worth = (distance < 0 ? BEFORE : AFTER)[Math.abs(distance) - 1] ?? 0
      return {
        counts: seeDigest(neighbour).counts,
        worth: distance === -1 && followsQuestion ? worth + ASKED_BEFORE : worth,
      }
    })
    const worthOf = (word: string) =>
      frequencyValue(own, word) + near.reduce((sum, { counts, worth }) => sum + (counts.has(word) ? worth : 0), 0)
    let held = 0
    let covered = 0
    for (const { word, weight, instead } of asked) {
      const worth = instead.reduce((best, other) => Math.max(best, other.part * worthOf(other.word)), worthOf(word))
      held += weight * worth
      covered += weight * Math.min(1, worth)
    }
    const kind = answersAs(question, said)
    return (
      (held + PROXIMITY * together(own.marks, weights)) / all +
      COVERAGE * (covered / all) ** 2 +
      SESSION * ((sessions.get(doc.session_id) ?? 0) / all) +
      speakers * spoken +
      (followsQuestion ? FOLLOWS_QUESTION : 0) +
      (isQuestion(said) ? IS_QUESTION : 0) +
      (kind.when ? NAMES_TIME : 0) +
      (kind.howMany ? NAMES_NUMBER : 0) +
      SHORT * Math.exp(-said.length / SHORT_CHARACTERS)
    )
  }
  return new Map(candidates.map((candidate) => [candidate.doc.id, scoreOf(candidate)]))
}

const isQuestion = (text: string): boolean => /[?？]\s*$/.test(text)

/** The weight of the words that a session's candidates hold together. */
function sessionsOf(candidates: readonly Candidate[], asked: readonly AskedWord[]): Map<string, number> {
  const sessions = new Map<string, number>()
  for (const [session, own] of Map.groupBy(candidates, ({ doc }) => doc.session_id)) {
    const has = (word: string) => own.some(({ own: { counts } }) => counts.has(word))
    const part = ({ word, instead }: AskedWord) =>
      has(word) ? 1 : instead.reduce((best, other) => (has(other.word) ? Math.max(best, other.part) : best), 0)
    sessions.set(
      session,
      asked.reduce((sum, one) => sum + one.weight * part(one), 0),
    )
  }
  return sessions
}
