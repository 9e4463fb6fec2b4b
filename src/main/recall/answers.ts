import {
  neighboursOf,
  type Neighbour,
  type Opening,
  openingOf,
  type FoundDoc,
  textOf,
} from '../store/read/recall-docs.ts'
import type { Reader } from '../store/read/reader.ts'
import {
  bestOf,
  countsOf,
  finderOf,
  frequencyValue,
  MAX_CHARACTERS,
  MAX_MARKS,
  type QueryWord,
  type TextScan,
  weightsOf,
} from './closeness.ts'
import type { MarkFinder } from './marks.ts'
import { answersAs, isQuestion, type Question, type Speech, speechIn } from './question.ts'
import { ANSWER, SHORT_CHARACTERS } from './weights.ts'

/** Length of a text that bm25 neither favours nor penalizes, and the strength of that effect, as b in bm25. */
const LENGTH = { typical: 400, penalty: 0.75 } as const

interface Candidate extends Speech {
  readonly doc: FoundDoc
  readonly own: TextScan
}

type Words = ReadonlySet<string>

/**
 * Scores how well each text may answer a question, from about -0.5 to 2. Counts the question's words in the text, around it
 * and in its turn and session, the speaker, and the kind of answer wanted. Keyed by document id.
 */
export function answersIn(
  reader: Reader,
  docs: readonly FoundDoc[],
  queryWords: readonly QueryWord[],
  question: Question,
): Map<number, number> {
  return new AnswerScorer(reader, docs, queryWords, question).scores()
}

class AnswerScorer {
  readonly #reader: Reader
  readonly #queryWords: readonly QueryWord[]
  readonly #question: Question
  readonly #finder: MarkFinder
  readonly #weights: ReadonlyMap<string, number>
  /** Sum of the words' weights. */
  readonly #all: number
  readonly #candidates: readonly Candidate[]
  /** Weight of a named speaker; 0 if the question names none of them. */
  readonly #speakers: number
  readonly #turns: ReadonlyMap<string, number>
  readonly #sessions: ReadonlyMap<string, number>
  readonly #digests = new Map<number, Words>()
  readonly #prompts = new Map<string, Opening | undefined>()

  constructor(reader: Reader, docs: readonly FoundDoc[], queryWords: readonly QueryWord[], question: Question) {
    this.#reader = reader
    this.#queryWords = queryWords
    this.#question = question
    this.#finder = finderOf(queryWords)
    this.#weights = weightsOf(queryWords)
    this.#all = queryWords.reduce((sum, { weight }) => sum + weight, 0) || 1
    this.#candidates = docs.map((doc) => this.#read(doc))
    this.#speakers = this.#candidates.some(({ spoken }) => spoken === 1) ? ANSWER.speaker : 0
    this.#turns = this.#sharesBy(turnOf)
    this.#sessions = this.#sharesBy(({ session_id }) => session_id)
  }

  scores(): Map<number, number> {
    return new Map(this.#candidates.map((candidate) => [candidate.doc.id, this.#scoreOf(candidate)]))
  }

  #read(doc: FoundDoc): Candidate {
    const text = textOf(this.#reader, doc).slice(0, MAX_CHARACTERS)
    const marks = this.#finder.find(text, MAX_MARKS, false)
    return {
      doc,
      own: { marks, counts: countsOf(marks), length: text.length },
      ...speechIn(text, (name) => this.#weights.has(name)),
    }
  }

  #scoreOf({ doc, own, said, spoken }: Candidate): number {
    const [before, after] = [-1, 1].map((at) => this.#near(doc).find(({ distance }) => distance === at))
    const words = new Set(own.counts.keys())
    const share = this.#share(words)
    const gain = (other: Words) => this.#share(words.union(other)) - share
    const kind = answersAs(this.#question, said)
    const sum = (parts: readonly (readonly [weight: number, value: number])[]) =>
      parts.reduce((total, [weight, value]) => total + weight * value, 0)
    return sum([
      [ANSWER.words, this.#frequencies(own)],
      [ANSWER.before, before === undefined ? 0 : gain(this.#wordsIn(before))],
      [ANSWER.after, after === undefined ? 0 : gain(this.#wordsIn(after))],
      [ANSWER.prompt, gain(this.#promptOf(doc))],
      [ANSWER.turn, this.#turns.get(turnOf(doc)) ?? 0],
      [ANSWER.session, this.#sessions.get(doc.session_id) ?? 0],
      [ANSWER.followsQuestion, before !== undefined && isQuestion(before.digest) ? 1 : 0],
      [this.#speakers, spoken],
      [ANSWER.namesTime, kind.when ? 1 : 0],
      [ANSWER.namesNumber, kind.howMany ? 1 : 0],
      [ANSWER.asker, this.#question.asksWhoAsked && doc.match_type === 'user_prompt' ? 1 : 0],
      [ANSWER.short, Math.exp(-said.length / SHORT_CHARACTERS)],
    ])
  }

  /** Returns bm25 of the question's words, relative to all their weights. */
  #frequencies(own: TextScan): number {
    const worth = (word: string) => frequencyValue(own, word, LENGTH)
    return this.#queryWords.reduce((sum, one) => sum + one.weight * bestOf(one, worth), 0) / this.#all
  }

  /** Returns the share of the question's words, by weight, among some words. */
  #share(words: Words): number {
    const share = (word: string) => Number(words.has(word))
    return this.#queryWords.reduce((sum, one) => sum + one.weight * bestOf(one, share), 0) / this.#all
  }

  /** Returns the share of words in all candidates of each group together. */
  #sharesBy(keyOf: (doc: FoundDoc) => string): Map<string, number> {
    const groups = Map.groupBy(this.#candidates, ({ doc }) => keyOf(doc))
    return new Map(
      [...groups].map(([key, own]) => [
        key,
        this.#share(new Set(own.flatMap(({ own: { counts } }) => [...counts.keys()]))),
      ]),
    )
  }

  #near(doc: FoundDoc): Neighbour[] {
    return neighboursOf(this.#reader, doc, 1)
  }

  #wordsIn({ id, digest }: Pick<Neighbour, 'id' | 'digest'>): Words {
    const seen = this.#digests.get(id) ?? new Set(this.#finder.find(digest, MAX_MARKS, false).map(({ word }) => word))
    this.#digests.set(id, seen)
    return seen
  }

  /** Returns the question's words in the prompt of a text's turn; none if the text is the prompt. */
  #promptOf(doc: FoundDoc): Words {
    const key = turnOf(doc)
    if (!this.#prompts.has(key)) this.#prompts.set(key, openingOf(this.#reader, doc))
    const opening = this.#prompts.get(key)
    return opening === undefined || opening.id === doc.id ? new Set() : this.#wordsIn(opening)
  }
}

const turnOf = ({ session_id, turn_id }: FoundDoc): string => `${turn_id} ${session_id}`
