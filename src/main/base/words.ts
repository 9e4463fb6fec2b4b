/** Splits text into words, the same way for the index and for queries. */
import { escapedWords, withoutEscapes } from './escapes.ts'

/** Soft hyphens, joiners, and the marks and the stretch of Latin, Arabic and Hebrew letters: they make no other word. */
export const SILENT = String.raw`\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u200b\u200d\u2060\ufeff`
/** A joiner before a picture makes one picture of several. */
const ALL_SILENT = new RegExp(`(?:(?!\\u200d\\p{Extended_Pictographic})[${SILENT}])+`, 'gu')
/** Letters and digits in the width of another script: `ＡＰＩ`, `ﾃｽﾄ`. */
const WIDTHS = /[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9f]+/gu
/** Zeros of other scripts, each before its other digits. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50]
const DIGITS = new RegExp(`[${ZEROS.map((zero) => String.fromCodePoint(zero, 0x2d, zero + 9)).join('')}]`, 'gu')
/** Letters that are often typed as others: what Latin keyboards lack, what Arabic and Persian ones share, ligatures. */
const TYPED_AS: ReadonlyMap<string, string> = new Map(
  'łl ŁL đd ĐD øo ØO ħh ĦH ıi æae ÆAE œoe ŒOE كک يی ىی ةه ﬀff ﬁfi ﬂfl ﬃffi ﬄffl'
    .split(' ')
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]),
)
const TYPED_OTHERWISE = new RegExp(`[${[...TYPED_AS.keys()].join('')}]`, 'gu')
const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々〆`
const CJK_RUN = new RegExp(`[${CJK}]+`, 'gu')
const CJK_ANY = new RegExp(`[${CJK}]`, 'u')
const SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Devanagari'].map((name) => `\\p{Script=${name}}`)
/** Signs that make other words of letters, from Devanagari to Khmer: `काम` is not `कम`. Tokenizers end a word at them. */
const SIGNS = String.raw`[\p{M}&&[\u0900-\u17ff]]`
const SIGN = new RegExp(SIGNS, 'gv')
/** Letters that an index has for such signs. */
const [FIRST_SIGN, FIRST_LETTER] = [0x900, 0x3400]

/** Digits and signs that belong to a word of any script, but to no CJK run. */
const SHARED = String.raw`[[\p{N}[\p{L}&&\p{Script=Common}]]--[${CJK}]]`
/** Letters, one class a script, and one for the scripts that are not listed. */
const LETTERS = [
  ...SCRIPTS.map((script) => `[\\p{L}&&${script}]`),
  `[\\p{L}--[${CJK}${SCRIPTS.join('')}\\p{Script=Common}]]`,
]
const IN_SCRIPT = LETTERS.map((letters) => `${letters}(?:${letters}|${SHARED}|[${SILENT}]|${SIGNS})*`).join('|')
/** Matches words, each in one script: `用redis` is two. */
const WORD = new RegExp(`${SHARED}*(?:${IN_SCRIPT})|${SHARED}+|[[\\p{L}\\p{N}\\p{M}]&&[${CJK}]]+`, 'gv')
/** Matches what the tokenizer of the index takes for a word. */
const TOKEN = new RegExp(`[\\p{L}\\p{N}][\\p{L}\\p{N}${SILENT}]*`, 'gu')
const BEYOND_LATIN = /[\p{L}--\p{Script=Latin}]/v
const RUN = String.raw`[\p{L}\p{N}][\p{L}\p{N}${SIGNS}]*`
/** Words joined by punctuation: `foo_bar`, `src/main.rs`, `can't`, `C++`. */
const COMPOUND = new RegExp(`${RUN}(?:[\\-_.'’\\/\\\\:@#\\u200c]{1,2}${RUN})*[+#]{0,2}`, 'gv')
const ASCII_COMPOUND = /[A-Za-z0-9]+(?:[-_.'/\\:@#]{1,2}[A-Za-z0-9]+)*[+#]{0,2}/g
/** The humps of an identifier: `HTTPServer2Go` → HTTP, Server, 2, Go; a plural is one: `turnIDs` → turn, IDs. */
const HUMP = /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}]+|\p{N}+|\p{Lu}/gu
/** Matches words that may have more than one hump. */
const HUMPED = /.[\p{Lu}\p{N}]|^\p{N}./u
const SIGNED: { readonly [sign: string]: string } = { '++': 'plusplus', '#': 'sharp', '+': 'plus' }

const ASCII = /^[\0-\x7f]*$/
/** Matches words with nothing to split or join. */
const PLAIN = /^(?:[A-Za-z]?[a-z]*|[A-Z]+|[0-9]+)$/

/** An id whose letters are no words, as those of a commit. */
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i

/** Maximum length of a joined compound; nobody types longer words. */
const MAX_JOINED = 32
const MAX_JOINED_SEGMENTS = 4
/** Maximum number of characters of a document that are split into parts. */
const MAX_PARTS_TEXT = 400_000

export const hasCjk = (text: string): boolean => CJK_ANY.test(text)

/** Returns a text with its letters in their usual width and the usual digits, and of the same length on request. */
export const usualWidth = (text: string, keepsLength = false): string =>
  text
    .replace(WIDTHS, (run) => run.normalize('NFKC').padEnd(keepsLength ? run.length : 0))
    .replace(DIGITS, (digit) => `${digit.charCodeAt(0) - (ZEROS.findLast((zero) => zero <= digit.charCodeAt(0)) ?? 0)}`)

/** Returns a text as words are looked up: in the usual width, without silent characters. */
export const plainLetters = (text: string): string =>
  ASCII.test(text) ? text : usualWidth(text.normalize('NFC')).replace(ALL_SILENT, '')

/** Returns a text with the letters that all keyboards have. */
const typeable = (text: string): string => text.replace(TYPED_OTHERWISE, (letter) => TYPED_AS.get(letter) ?? letter)

/** Letters that `fold` replaces, with what replaces each. */
export function replacedLetters(): ReadonlyMap<string, string> {
  const from = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at))
  const digits = ZEROS.flatMap((zero) => from(zero, zero + 9))
  const others = [...digits, ...from(0xff10, 0xff9f).filter((sign) => sign.search(WIDTHS) === 0)]
  return new Map([...TYPED_AS, ...others.map((sign) => [sign, usualWidth(sign)] as const)])
}

/** Removes diacritics. The index itself does so only for Latin letters. */
const withoutMarks = (word: string): string =>
  word
    .normalize('NFD')
    .replaceAll(/[\p{Mn}--[\u0900-\u17ff]]/gv, '')
    .normalize('NFC')

/** Returns words as indexed, before folding and stemming. */
export const wordsOf = (text: string): string[] => ownWordsOf(typeable(text))

/** Returns words with the letters that their text has. */
export function ownWordsOf(text: string): string[] {
  const plain = plainLetters(text)
  if (!BEYOND_LATIN.test(plain)) return plain.match(TOKEN) ?? []
  return (plain.match(WORD) ?? []).map((word) => (BEYOND_LATIN.test(word) && !hasCjk(word) ? withoutMarks(word) : word))
}

/** Returns the words of a text as an index holds them that receives it as it is: `用redis` is one. */
export const tokensOf = (text: string): string[] => text.match(TOKEN) ?? []

/** Yields the words of a text with their positions. */
export const wordsWithin = (text: string): RegExpStringIterator<RegExpExecArray> =>
  text.matchAll(BEYOND_LATIN.test(text) ? WORD : TOKEN)

/** Returns a text as the index receives it: its tokenizer knows neither escape sequences nor borders between scripts. */
export function indexedText(text: string): string {
  const plain = typeable(plainLetters(withoutEscapes(text)))
  if (ASCII.test(plain) || !BEYOND_LATIN.test(plain)) return plain
  return plain.replace(TOKEN, (token) => (ASCII.test(token) ? token : wordsOf(token).join(' ')))
}

/** Returns a word with a letter for each of its signs, as the index column `parts` has it. */
export const withSigns = (word: string): string =>
  word.replace(SIGN, (sign) => String.fromCharCode(sign.charCodeAt(0) - FIRST_SIGN + FIRST_LETTER))

/** Removes case and diacritics from a word. */
export function fold(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase()
  return withoutMarks(typeable(plainLetters(word))).toLowerCase()
}

/** Checks whether a folded word is a commit, or the beginning of one, which finds those that begin so. */
export const isCommit = (word: string): boolean => /^(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{6,64}$/.test(word)

/** Returns the humps of an identifier, folded; [] if it has only one. The letters of a commit are no words. */
export function humpsOf(word: string): string[] {
  if (!HUMPED.test(word) || isCommit(word.toLowerCase())) return []
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
export const cjkRunsOf = (text: string): string[] => text.match(CJK_RUN) ?? []

/** A verb that an apostrophe shortens: `she'll` is not a shell. Of a negation, the joined spelling is common: `dont`. */
const SHORT_VERB = /^\p{L}+['’](?:ll|re|ve|d|m)$/iu

/** Returns another spelling of a compound for the index column `parts`: joined, or with its sign in letters. */
export function joinedOf(compound: string, words: readonly string[] = wordsOf(compound)): string | null {
  const sign = /[+#]+$/.exec(compound)?.[0]
  if (sign !== undefined && words.length === 1) {
    const name = SIGNED[sign]
    return name === undefined ? null : fold(`${words[0] ?? ''}${name}`)
  }
  const joined = words.join('')
  // `1.5` is not 15, and `I'll` is not ill.
  if (/^\d{2,5}$/.test(joined) || SHORT_VERB.test(compound)) return null
  const fits = words.length > 1 && words.length <= MAX_JOINED_SEGMENTS && joined.length <= MAX_JOINED && !hasCjk(joined)
  return fits ? fold(joined) : null
}

/** Returns the content of the index column `parts` for a text; each compound counts once. */
export function partsOf(text: string): string {
  const parts: string[] = []
  const examined = plainLetters(withoutEscapes(text.length > MAX_PARTS_TEXT ? text.slice(0, MAX_PARTS_TEXT) : text))
  const isAscii = ASCII.test(examined)
  for (const compound of new Set(compoundsOf(examined).filter((found) => !PLAIN.test(found)))) {
    const words = wordsOf(compound)
    for (const word of words) {
      if (!PLAIN.test(word) && !UUID.test(compound)) parts.push(...humpsOf(word))
      const signed = isAscii ? word : withSigns(word)
      if (signed !== word && !hasCjk(word)) parts.push(signed)
    }
    const joined = joinedOf(compound, words)
    if (joined !== null) parts.push(joined)
  }
  if (!isAscii) for (const run of new Set(cjkRunsOf(examined))) parts.push(...pairsOf(run).map(withSigns))
  for (const word of new Set([...escapedWords(examined)].map((one) => one.word)))
    parts.push(...wordsOf(word), partsOf(word))
  return parts.join(' ')
}

/** Returns the compounds of a text, in order. */
export function compoundsOf(text: string): string[] {
  return text.match(ASCII.test(text) ? ASCII_COMPOUND : COMPOUND) ?? []
}
