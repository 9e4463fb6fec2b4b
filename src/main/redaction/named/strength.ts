/** Letter runs of these shapes occur in words; in random text they are rare. */
const WORD_PIECE = /[A-Z][a-z]{2,}|[a-z]{3,}|[A-Z]{4,}/g
/** Of capitals within a word. */
const CLUSTER = /^[A-Z]*[^AEIOUYa-z]{4}/
const VOWEL = /[aeiouyAEIOUY]/

/** Returns the share of a text's letters and digits that belong to pieces shaped like words: 0 (random) to 1 (words). */
export function wordShare(text: string): number {
  const counted = text.replaceAll(/[^A-Za-z0-9]/g, '').length
  if (counted === 0) return 0
  let inWords = 0
  for (const { 0: piece, index } of text.matchAll(WORD_PIECE))
    if (isWordLike(piece) && !(CLUSTER.test(piece) && /[a-z\d]/.test(text[index - 1] ?? ''))) inWords += piece.length
  return inWords / counted
}

/** True for letters that can be pronounced: vowels and consonants alternate, no long runs of either. */
const isWordLike = (piece: string): boolean =>
  (piece.length < 7 ? VOWEL : /[aeiou]/i).test(piece) &&
  !/[^aeiouy]{5}|[aeiou]{4}|[jqz][^aeiouz]|[^aeiouc]q/i.test(piece)

/**
 * True for text that changes between lower case, upper case and digits as often as random text does. Names such as
 * `parseHtml5Document` change at the beginning of words only.
 */
export function changesClassOften(text: string): boolean {
  // Digits between letters in three places of one word.
  if (/^[A-Za-z0-9]+$/.test(text) && (text.match(/\d+/g) ?? []).length >= 3) return true
  const classes = text
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .replaceAll(/[a-z]/g, 'a')
    .replaceAll(/[A-Z]/g, 'A')
    .replaceAll(/\d/g, '0')
  if (!classes.includes('0')) return false
  let changes = 0
  for (let at = 1; at < classes.length; at += 1) if (classes[at] !== classes[at - 1]) changes += 1
  return changes >= 0.4 * (classes.length - 1)
}

/** True if a text has at least a letter and a digit. */
export const mixesDigits = (text: string): boolean => /\d/.test(text) && /[A-Za-z]/.test(text)

/** Returns the Shannon entropy of a text in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/** True if a text could have been drawn at random: varied characters, no words, no counting such as `0123456789abcdef`. */
export function looksRandom(text: string): boolean {
  if (text.length < 8) return false
  const sample = text.slice(0, 256)
  if (entropy(sample) < (sample.length < 16 ? 2.3 : 2.8)) return false
  return (wordShare(sample) < 0.7 || changesClassOften(sample)) && !isCounting(sample)
}

/** True if most characters follow their predecessor: `abcdef`, `12345678`. */
function isCounting(text: string): boolean {
  let steps = 0
  for (let at = 1; at < text.length; at += 1) {
    const step = text.charCodeAt(at) - text.charCodeAt(at - 1)
    if (step === 1 || step === 0 || step === -1) steps += 1
  }
  return steps > text.length * 0.6
}

export const isUuid = (text: string): boolean => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(text)

/** A hash, a UUID, a commit or an integrity value: random, but public. */
export const isDigest = (text: string): boolean => isUuid(text) || /^(?:sha\d{1,3}|md5)[-:].*$/i.test(text)

/** True for what a program signs or encrypts with, in hexadecimal: as long as no commit is, or under a name that says so. */
export const isHexKey = (name: string, value: string): boolean =>
  (/pass\w*[-_. ]?(?:hash\w*|digest|salt)$|pwd[-_. ]?(?:hash\w*|digest|salt)$/i.test(name)
    ? [32, 40, 48, 56, 64, 96, 128]
    : /(?:session|cookie|csrf|signature|vault|server|host|team|rest|^)[-_. ]?key$|_KEY$|^(?:salt|pepper)$/i.test(name)
      ? [32, 40, 48, 64, 96, 128]
      : [64, 96, 128]
  ).includes(value.length) &&
  !/(?:storage|blob|content|asset|artifact|build|bundle|chunk|snapshot|digest|commit)[-_. ]?key$/i.test(name)

/** True for letters whose capitals begin no words: `XVPO-MveD-AEEt`, `omiAYPuOnlN`. */
export function changesCase(text: string): boolean {
  const runs = text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []
  return runs.length > 3 && /[a-z]/.test(text) && /[A-Z]/.test(text) && runs.join('').length < 2.8 * runs.length
}
