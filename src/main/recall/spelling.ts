import { containsAny, newestWith } from '../store/read/recall-words.ts'
import type { Reader } from '../store/read/reader.ts'
import { fold, wordsOf } from '../base/words.ts'
import { editDistance } from '../../shared/nearest-name.ts'
import { isPlainWord } from './plain-words.ts'
import { stem } from './stem.ts'
import { isStopWord } from './stop-words.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const VOWELS = 'aeiouy'
/** Rows of the keyboard, and pairs of letters that sound alike. */
const CONFUSED = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', ...'ck cs sz fv gj td bp mn kq vw'.split(' ')]
const MIN_LENGTH = 5
const MAX_LENGTH = 24
/** Words of at least this length may have two mistakes; shorter ones only in doubled letters, as in `tarrif`. */
const LONG_WORD = 8
const WORD_OF_DOUBLES = 6
/** Texts that are read to find the word's spelling. */
const TEXTS_READ = 20
/** Characters of each that are read. */
const MAX_READ = 20_000
const KEPT_MS = 60_000

/**
 * Returns the word of the stored texts that a misspelt one most likely means; null if there is none within one mistake,
 * or two in a long word, or if the word is correct English that merely does not occur. The index has stems, so the word
 * itself is read from a text that has it.
 */
export function spellingOf(reader: Reader, word: string): string | null {
  const typed = fold(word)
  if (typed.length < MIN_LENGTH || typed.length > MAX_LENGTH || !/^[a-z]+$/.test(typed) || isPlainWord(typed))
    return null
  return reader.cached(
    `spelling ${typed}`,
    () => KEPT_MS,
    () => correct(reader, typed),
  )
}

function correct(reader: Reader, typed: string): string | null {
  const near = oneEdit(typed).filter((one) => isLikely(typed, one, 1))
  const found = written(reader, typed, near, 1)
  if (found !== null || typed.length < WORD_OF_DOUBLES) return found
  return written(reader, typed, [...new Set(likelyEdits(typed).flatMap(likelyEdits))], 2)
}

/** Checks whether somebody who means one word is likely to type the other: nobody types `bread` for `read`. */
function isLikely(typed: string, meant: string, distance: number): boolean {
  if (isStopWord(meant)) return false
  const isSwapped = typed[0] === meant[1] && typed[1] === meant[0]
  if (typed[0] !== meant[0] && !isSwapped && (typed.length < LONG_WORD || distance > 1)) return false
  if (distance > 1) return typed.length >= LONG_WORD || undoubled(typed) === undoubled(meant)
  if (typed.length !== meant.length) return true
  const wrong = [...typed].flatMap((letter, at) => (letter === meant[at] ? [] : [[letter, meant[at] ?? ''] as const]))
  return wrong.length > 1 || wrong.every(([one, other]) => areConfused(one, other))
}

const undoubled = (word: string): string => word.replaceAll(/(.)\1/g, '$1')

/** Checks whether two letters are neighbours on a keyboard, both vowels, or sound alike. */
const areConfused = (one: string, other: string): boolean =>
  CONFUSED.some((letters) => letters.includes(one + other) || letters.includes(other + one)) ||
  (VOWELS.includes(one) && VOWELS.includes(other))

/** Finds a candidate in the index and the text, the one in most texts first. */
function written(reader: Reader, typed: string, candidates: readonly string[], mistakes: number): string | null {
  const byStem = new Map(candidates.filter((one) => one.length > 2).map((one) => [stem(one), one]))
  for (const { word } of containsAny(reader, [...byStem.values()])) {
    const best = newestWith(reader, word, TEXTS_READ)
      .flatMap((text) => wordsOf(text.slice(0, MAX_READ)).map(fold))
      .filter((one) => stem(one) === stem(word) && one !== typed && Math.abs(one.length - typed.length) <= mistakes)
      .map((one) => ({ one, distance: editDistance(typed, one) }))
      .filter(({ one, distance }) => distance <= mistakes && isLikely(typed, one, distance))
      .sort((a, b) => a.distance - b.distance)[0]
    if (best !== undefined) return best.one
  }
  return null
}

/** Returns all words at one mistake: a letter missing, added, wrong or swapped with its neighbour. */
function oneEdit(word: string): string[] {
  const edits: string[] = []
  for (let at = 0; at <= word.length; at += 1) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    if (after !== '') edits.push(before + after.slice(1))
    if (after.length > 1) edits.push(before + after.charAt(1) + after.charAt(0) + after.slice(2))
    for (const letter of LETTERS) {
      edits.push(before + letter + after)
      if (after !== '') edits.push(before + letter + after.slice(1))
    }
  }
  return [...new Set(edits)]
}

/** Returns the most common mistakes only: a wrong vowel, a letter doubled or not, left out, or swapped with the next. */
function likelyEdits(word: string): string[] {
  const edits: string[] = []
  for (let at = 0; at < word.length; at += 1) {
    const [before, sign, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)]
    edits.push(before + after, before + sign + sign + after)
    if (after !== '') edits.push(before + after.charAt(0) + sign + after.slice(1))
    if (VOWELS.includes(sign)) for (const vowel of VOWELS) edits.push(before + vowel + after)
  }
  return [...new Set(edits)]
}
