/** Splits text into words, the same way for the index and for queries. */

const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々〆`
const CJK_RUN = new RegExp(`[${CJK}]+`, 'gu')
const CJK_ANY = new RegExp(`[${CJK}]`, 'u')
const WORD = /[\p{L}\p{N}]+/gu
/** Words joined by punctuation: `foo_bar`, `src/main.rs`, `can't`, `C++`. */
const COMPOUND = /[\p{L}\p{N}]+(?:[-_.'’/\\:@#]{1,2}[\p{L}\p{N}]+)*[+#]{0,2}/gu
/** The humps of an identifier: `HTTPServer2Go` → HTTP, Server, 2, Go; a plural is one: `turnIDs` → turn, IDs. */
const HUMP = /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}]+|\p{N}+|\p{Lu}/gu
/** Matches words that may have more than one hump. */
const HUMPED = /.[\p{Lu}\p{N}]|^\p{N}./u
const SIGNED: { readonly [sign: string]: string } = { '++': 'plusplus', '#': 'sharp', '+': 'plus' }

const ASCII = /^[\0-\x7f]*$/
/** Matches words with nothing to split or join. */
const PLAIN = /^(?:[A-Za-z]?[a-z]*|[A-Z]+|[0-9]+)$/

/** Maximum length of a joined compound; nobody types longer words. */
const MAX_JOINED = 32
const MAX_JOINED_SEGMENTS = 4
/** Maximum number of characters of a document that are split into parts. */
const MAX_PARTS_TEXT = 400_000

export const hasCjk = (text: string): boolean => CJK_ANY.test(text)

/** Returns words as indexed, before folding and stemming. */
export function wordsOf(text: string): string[] {
  return text.match(WORD) ?? []
}

/** Removes case and diacritics from a word. */
export function fold(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase()
  return word
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .normalize('NFC')
    .toLowerCase()
}

/** Returns the humps of an identifier, folded; [] if it has only one. */
export function humpsOf(word: string): string[] {
  if (!HUMPED.test(word)) return []
  const humps = word.match(HUMP) ?? []
  return humps.length > 1 && !hasCjk(word) ? humps.map(fold) : []
}

/** Returns pairs of adjacent characters of a CJK run, and its last character, so that one character matches as a prefix. */
export function pairsOf(run: string): string[] {
  const signs = [...run]
  const last = signs.at(-1)
  return last === undefined ? [] : [...signs.slice(0, -1).map((sign, at) => sign + (signs[at + 1] ?? '')), last]
}

/** Returns the CJK runs of a text. */
export function cjkRunsOf(text: string): string[] {
  return text.match(CJK_RUN) ?? []
}

/** Returns another spelling of a compound for the index column `parts`: joined, or with its sign in letters. */
export function joinedOf(compound: string, words: readonly string[] = wordsOf(compound)): string | null {
  const sign = /[+#]+$/.exec(compound)?.[0]
  if (sign !== undefined && words.length === 1) {
    const name = SIGNED[sign]
    return name === undefined ? null : fold(`${words[0] ?? ''}${name}`)
  }
  const joined = words.join('')
  const fits = words.length > 1 && words.length <= MAX_JOINED_SEGMENTS && joined.length <= MAX_JOINED && !hasCjk(joined)
  return fits ? fold(joined) : null
}

/** Returns the content of the index column `parts` for a text; each compound counts once. */
export function partsOf(text: string): string {
  const parts: string[] = []
  const examined = text.length > MAX_PARTS_TEXT ? text.slice(0, MAX_PARTS_TEXT) : text
  for (const compound of new Set(compoundsOf(examined).filter((found) => !PLAIN.test(found)))) {
    const words = wordsOf(compound)
    for (const word of words) if (!PLAIN.test(word)) parts.push(...humpsOf(word))
    const joined = joinedOf(compound, words)
    if (joined !== null) parts.push(joined)
  }
  if (!ASCII.test(examined)) for (const run of new Set(cjkRunsOf(examined))) parts.push(...pairsOf(run))
  return parts.join(' ')
}

/** Returns the compounds of a text, in order. */
export function compoundsOf(text: string): string[] {
  return text.match(COMPOUND) ?? []
}
