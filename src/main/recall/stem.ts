import apart from '../../../resources/words/apart.json' with { type: 'json' }

/**
 * The Porter stemmer (M. F. Porter, 1980), as FTS5's `porter` tokenizer applies it. The only stemmer in the app: all
 * code that compares words outside the index splits them as the index does.
 */

const C = '[^aeiou][^aeiouy]*'
const V = '[aeiouy][aeiou]*'
const MEASURE_ABOVE_0 = new RegExp(`^(${C})?${V}${C}`)
const MEASURE_IS_1 = new RegExp(`^(${C})?${V}${C}(${V})?$`)
const MEASURE_ABOVE_1 = new RegExp(`^(${C})?${V}${C}${V}${C}`)
const HAS_VOWEL = new RegExp(`^(${C})?[aeiouy]`)
const ENDS_CVC = new RegExp(`^${C}[aeiouy][^aeiouwxy]$`)

const STEP_2: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['logi', 'log'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
]
const STEP_3: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
]
const STEP_4 = [
  'ement',
  'ance',
  'ence',
  'able',
  'ible',
  'ment',
  'ant',
  'ent',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
  'ion',
  'al',
  'er',
  'ic',
  'ou',
]

/** Returns the stem of a folded word. Words outside a–z and very short or long words are returned unchanged. */
export function stem(word: string): string {
  if (word.length < 3 || word.length > 64 || !/^[a-z]+$/.test(word)) return word
  return step5(step4(replaceSuffix(replaceSuffix(step1(word), STEP_2), STEP_3)))
}

/** Beginnings of words that mean different things, by their common stem. */
const APART: ReadonlyMap<string, readonly string[]> = new Map(
  apart.apart.flatMap((group) => {
    const beginnings = group.split(', ')
    return [...new Set(beginnings.map(stem))].map((stemmed) => [stemmed, beginnings] as const)
  }),
)

/** Returns the stem of a folded word, or the beginning that sets it apart from others of that stem: `customer`. */
export function ownStem(word: string): string {
  const stemmed = stem(word)
  return APART.get(stemmed)?.findLast((beginning) => word.startsWith(beginning)) ?? stemmed
}

/** Returns beginnings of the words that the index does not tell from a word: `author` for `authorization`. */
export const confusedWith = (word: string): readonly string[] =>
  APART.get(stem(word))?.filter((beginning) => beginning !== ownStem(word)) ?? []

function step1(word: string): string {
  let stemmed = word
  if (/(ss|i)es$/.test(stemmed)) stemmed = stemmed.slice(0, -2)
  else if (/[^s]s$/.test(stemmed)) stemmed = stemmed.slice(0, -1)
  if (stemmed.endsWith('eed')) {
    if (MEASURE_ABOVE_0.test(stemmed.slice(0, -3))) stemmed = stemmed.slice(0, -1)
  } else {
    const without = stemmed.replace(/(ed|ing)$/, '')
    if (without !== stemmed && HAS_VOWEL.test(without)) stemmed = mend(without)
  }
  if (stemmed.endsWith('y') && HAS_VOWEL.test(stemmed.slice(0, -1))) stemmed = `${stemmed.slice(0, -1)}i`
  return stemmed
}

function mend(word: string): string {
  if (/(at|bl|iz)$/.test(word)) return `${word}e`
  if (/([^aeiouylsz])\1$/.test(word)) return word.slice(0, -1)
  return MEASURE_IS_1.test(word) && ENDS_CVC.test(word) ? `${word}e` : word
}

function replaceSuffix(word: string, table: readonly (readonly [string, string])[]): string {
  for (const [suffix, instead] of table) {
    if (!word.endsWith(suffix)) continue
    const rest = word.slice(0, -suffix.length)
    return MEASURE_ABOVE_0.test(rest) ? rest + instead : word
  }
  return word
}

function step4(word: string): string {
  for (const suffix of STEP_4) {
    if (!word.endsWith(suffix)) continue
    const rest = word.slice(0, -suffix.length)
    if (!MEASURE_ABOVE_1.test(rest)) return word
    return suffix === 'ion' && !/[st]$/.test(rest) ? word : rest
  }
  return word
}

function step5(word: string): string {
  let stemmed = word
  if (stemmed.endsWith('e')) {
    const rest = stemmed.slice(0, -1)
    if (MEASURE_ABOVE_1.test(rest) || (MEASURE_IS_1.test(rest) && !ENDS_CVC.test(rest))) stemmed = rest
  }
  return stemmed.endsWith('ll') && MEASURE_ABOVE_1.test(stemmed.slice(0, -1)) ? stemmed.slice(0, -1) : stemmed
}
