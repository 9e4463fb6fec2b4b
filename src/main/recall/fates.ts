import { cellsOf } from '../../shared/table-row.ts'
import { fold, hasCjk, pairsOf, wordsOf } from '../base/words.ts'
import { formsOf } from './forms.ts'
import { stem } from './stem.ts'
import { isStopWord } from './stop-words.ts'
import { synonymsOf } from './vocabulary.ts'

/** What a summary made of a sentence. */
export type Fate = 'kept' | 'reworded' | 'lost'

/** A sentence of a summary says the same only with at least this share of the words, and so many of them. */
const LEAST_SHARE = 0.5
const LEAST_SHARED = 2
/** With all words but one, only these few sentences in a row may say it. */
const NEARBY = 3
/** A negation reaches the word after it; one of a thing, the two that name it. */
const NEGATED_WORDS = 1
const OF_A_THING = /^(?:no|without|none|nothing|instead of|rather than|avoid)$/i

/** They say what to do with anything, not what it is about. */
const GENERAL = new Set(
  'add bring check come done file find found good happen keep look make made must need new put run say see still take thing try use used want way work yes'.split(
    ' ',
  ),
)
const NEGATIONS = /^(?:no|not|never|none|neither|nor|cannot|without|nothing|instead of|rather than|avoid|\w*n['’]t)$/i
const TOKENS = /\d[\d.,_]*\d|[\p{L}\p{N}]*n['’]t\b|\b(?:instead of|rather than)\b|[\p{L}\p{N}\p{M}]+/giu
const TURNED_ON = /\b(?:is|are|be|turn(?:s|ed)?|switch(?:es|ed)?|set to) on\b|\bon(?= by default)/gi
/** Pairs of which a sentence with one does not say a sentence with the other. */
const OPPOSITES = [
  'enable:disable,off allow:deny,forbid,refuse before:after accept:reject,refuse include:exclude,omit',
  'start:stop stop:run,continue pass:fail open:close lock:unlock increase:decrease,reduce raise:lower',
  'keep:remove,delete,drop add:remove,delete,drop sync:async synchronous:asynchronous up:down show:hide mount:unmount',
  'always:never commit:revert merge:split upgrade:downgrade success:failure first:last minimum:maximum min:max',
  'public:private',
].join(' ')
/** The opposites of a word by its root; built once needed. */
let opposites: ReadonlyMap<string, ReadonlySet<string>> | null = null

function oppositesOf(root: string): ReadonlySet<string> | undefined {
  if (opposites === null) {
    const table = new Map<string, Set<string>>()
    const put = (one: string, other: string) => table.set(one, (table.get(one) ?? new Set()).add(other))
    for (const pair of OPPOSITES.split(' ')) {
      const [one = '', others = ''] = pair.split(':')
      for (const other of others.split(',')) {
        put(plainOf(one), plainOf(other))
        put(plainOf(other), plainOf(one))
      }
    }
    opposites = table
  }
  return opposites.get(root)
}

/** `unclear`: in a clause with a negation of something else, or in a reason, which says why and not what. */
type Polarity = 'said' | 'denied' | 'unclear'

/** A sentence, ready to be compared. */
interface Told {
  readonly roots: ReadonlyMap<string, Polarity>
  /** All stems, with the most common ones. */
  readonly stems: ReadonlySet<string>
  /** What each number counts, by the words beside it. */
  readonly numbers: ReadonlyMap<string, readonly string[]>
}

/**
 * Returns a judge of sentences: whether a summary has all of a sentence in one place, has it in other words, or lost it.
 * In other words means that one sentence shares half of its words, and neither denies it, nor names its opposite, nor
 * another number. A judgement by words alone: what is said with none of the words counts as lost.
 */
export function createJudge(summary: string): (sentence: string) => Fate | null {
  const told = sentencesOf(summary).map(read)
  const near = told.map((_, at) => joined(told.slice(at, at + NEARBY)))
  const [closest, closestNear] = [finderOf(told), finderOf(near)]
  return (sentence) => {
    const asked = read(sentence)
    const { size } = asked.roots
    if (size === 0) return null
    const { shared, those } = closest(asked)
    const isSaid = those.some((one) => !denies(asked, one))
    if (shared === size) return isSaid ? 'kept' : 'lost'
    if (shared >= Math.max(LEAST_SHARED, size * LEAST_SHARE)) return isSaid ? 'reworded' : 'lost'
    const around = closestNear(asked)
    const isAround = size > LEAST_SHARED && around.shared === size && around.those.some((one) => !denies(asked, one))
    return isAround ? 'reworded' : 'lost'
  }
}

/** Returns a finder of those that share the most roots with a sentence. */
function finderOf(all: readonly Told[]): (asked: Told) => { readonly shared: number; readonly those: readonly Told[] } {
  const places = new Map<string, Told[]>()
  for (const one of all) for (const root of one.roots.keys()) places.set(root, [...(places.get(root) ?? []), one])
  return (asked) => {
    const counts = new Map<Told, number>()
    for (const root of asked.roots.keys())
      for (const one of new Set([root, ...related(root)].flatMap((name) => places.get(name) ?? [])))
        counts.set(one, (counts.get(one) ?? 0) + 1)
    const shared = Math.max(0, ...counts.values())
    return { shared, those: [...counts].flatMap(([one, count]) => (count === shared ? [one] : [])) }
  }
}

/** Splits a text at its lines and the ends of its sentences, without the marks of Markdown. */
export function sentencesOf(text: string): string[] {
  return text
    .replaceAll(/^[ \t]*\|.+\|[ \t]*$/gm, cellsOf)
    .split(/\n|(?<=[.!?…])\s+|(?<=[。！？])/u)
    .map((part) =>
      part
        .replace(/^\s*(?:(?:#{1,6}|[-*+>]|\d{1,3}[.)])\s+)+/, '')
        .replaceAll(/\*\*|__|`/g, '')
        .trim(),
    )
    .filter((part) => part !== '')
}

const polarityIn = (told: Told, root: string): Polarity | undefined =>
  [root, ...related(root)].map((one) => told.roots.get(one)).find((one) => one !== undefined)

/** Checks whether a sentence that shares words with another says something else of them. */
function denies(asked: Told, told: Told): boolean {
  const isDenied = ([root, polarity]: readonly [string, Polarity]) => {
    const other = polarityIn(told, root)
    return other !== undefined && other !== polarity && other !== 'unclear' && polarity !== 'unclear'
  }
  return [...asked.roots].some(isDenied) || namesOpposite(asked, told) || countsOther(asked, told)
}

const namesOpposite = (asked: Told, told: Told): boolean =>
  [...asked.stems].some((one) => !told.stems.has(one) && oppositesOf(one)?.isDisjointFrom(told.stems) === false)

/** Whether another number counts the same thing. */
const countsOther = (asked: Told, told: Told): boolean =>
  [...asked.numbers].some(
    ([number, beside]) =>
      !told.numbers.has(number) &&
      [...told.numbers].some(
        ([other, words]) => !asked.numbers.has(other) && words.some((one) => beside.includes(one)),
      ),
  )

const RELATED = new Map<string, readonly string[]>()

/** Stems of words for the same thing. */
function related(root: string): readonly string[] {
  let known = RELATED.get(root)
  if (known === undefined)
    RELATED.set(root, (known = synonymsOf(root).flatMap((name) => (name.includes(' ') ? [] : [stem(name)]))))
  return known
}

const joined = (all: readonly Told[]): Told => ({
  roots: new Map(all.flatMap(({ roots }) => [...roots])),
  stems: new Set(all.flatMap(({ stems }) => [...stems])),
  numbers: new Map(all.flatMap(({ numbers }) => [...numbers])),
})

function read(sentence: string): Told {
  const roots = new Map<string, Polarity>()
  const stems = new Set<string>()
  const numbers = new Map<string, string[]>()
  let isReason = false
  let last = ''
  for (const clause of sentence.replaceAll(TURNED_ON, 'enabled').split(/[.,;:!?](?=\s|$)|[()]/)) {
    const tokens = [...clause.matchAll(TOKENS)].map(([token]) => token)
    const isMixed = tokens.some(isNegation)
    let negated = 0
    let counting: string | null = null
    for (const token of tokens) {
      if (isNegation(token)) negated = NEGATED_WORDS + Number(OF_A_THING.test(token))
      isReason ||= /^(?:because|since)$/i.test(token)
      for (const root of isNegation(token) ? [] : rootsOf(token)) {
        stems.add(root)
        const isNumber = /^\d/.test(root)
        if (isStopWord(fold(token)) && fold(token) !== 'same' && !isNumber) continue
        if (counting !== null && !isNumber) numbers.get(counting)?.push(root)
        counting = isNumber ? root : null
        if (isNumber) numbers.set(root, last === '' ? [] : [last])
        last = root
        const polarity = isReason ? 'unclear' : negated > 0 ? 'denied' : isMixed ? 'unclear' : 'said'
        negated -= 1
        if ((isNumber || !GENERAL.has(fold(token))) && !roots.has(root)) roots.set(root, polarity)
      }
    }
  }
  return { roots, stems, numbers }
}

const isNegation = (token: string): boolean => NEGATIONS.test(token)

/** Returns what is compared of a token: its number, its pairs of signs, or the stem of its plain form. */
function rootsOf(token: string): readonly string[] {
  if (/^\d/.test(token)) return [token.replaceAll(/[,_](?=\d{3})/g, '')]
  if (hasCjk(token)) return wordsOf(token).flatMap((word) => (hasCjk(word) ? pairsOf(word).filter(isPair) : [word]))
  const word = fold(token)
  return word.length < 2 ? [] : [plainOf(word)]
}

const NUMBER_WORD = /^(?:one|two|three|four|five|six|seven|eight|nine|ten)$/
const isPair = (signs: string): boolean => [...signs].length === 2

/** The shortest of a word's forms, so that `ran` and `runs` are one, and `two` and `2`; a second is no 2. */
function plainOf(word: string): string {
  const forms = formsOf(word).filter((form) => NUMBER_WORD.test(word) || !/^\d/.test(form))
  return (
    [word, ...forms].map(stem).toSorted((one, other) => one.length - other.length || (one < other ? -1 : 1))[0] ?? word
  )
}
