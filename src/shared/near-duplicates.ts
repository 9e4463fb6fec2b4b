/** Share of words that two texts must have in common to be near-duplicates. */
const NEARLY_SAME = 0.85
/** Only the beginning of a text is compared, in characters. */
const COMPARED = 4000
/** Shorter texts, in words, fold only if they are equal. */
const MIN_WORDS = 10

/** A text with its near-duplicates. */
export interface Folded<Item> {
  readonly item: Item
  /** In the order given. */
  readonly same: readonly Item[]
}

interface FoldOptions {
  /** True folds texts that differ only by numbers, too: for lists that can show what they fold. Default: false. */
  readonly ignoresNumbers?: boolean
}

/** Folds near-duplicates into the first of them. The order of words, case and most punctuation are ignored. */
export function foldNearDuplicates<Item extends { readonly text: string }>(
  items: readonly Item[],
  { ignoresNumbers = false }: FoldOptions = {},
): Folded<Item>[] {
  const kept: { item: Item; same: Item[]; words: ReadonlySet<string> }[] = []
  for (const item of items) {
    const words = wordsOf(ignoresNumbers ? item.text.replaceAll(/\p{N}+/gu, '#') : item.text)
    const first = kept.find((other) => areNearlySame(other.words, words))
    if (first === undefined) kept.push({ item, same: [], words })
    else first.same.push(item)
  }
  return kept.map(({ item, same }) => ({ item, same }))
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = text
    .slice(0, COMPARED)
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}_]+|[^\p{L}\p{M}\p{N}_\s]{2,}/gu)
  return new Set(words?.flatMap((word) => (WITHOUT_SPACES.test(word) ? pairsOf(word) : word)) ?? [text.trim()])
}

/** Scripts that write no spaces between words: their pairs of characters are compared. */
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

function pairsOf(word: string): string[] {
  const signs = [...word]
  return signs.length === 1 ? signs : signs.slice(1).map((sign, at) => `${signs[at]}${sign}`)
}

/** One such word changes the meaning of a text. */
const TELLING = new RegExp(
  [
    '\\p{N}',
    // Without spaces: a pair that denies.
    '[不没沒未无無非勿]|な[いかけく]|ません|ず[にっ]|ไม',
    `^(?:${[
      'not?|never|nor|none|without|instead|don|doesn|didn|won|isn|aren|wasn|can|cannot',
      'nicht|nie|niemals|kein\\p{L}*|ohne|statt|ne|pas|jamais|sans|aucune?|nunca|sin|ningun\\p{L}*|não|sem|nem|non|senza',
      'niet|geen|zonder|inte|ikke|ingen|utan|uden|uten|nie|bez|nigdy|не|нет|ни|без|никогда|değil|yok|hiç',
      'لا|لم|لن|ليس|بدون|לא|אין|בלי|नहीं|मत|बिना|안|못|없\\p{L}*|않\\p{L}*|không|tidak|bukan|tanpa',
    ].join('|')})$`,
  ].join('|'),
  'u',
)

function areNearlySame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (
    one
      .symmetricDifference(other)
      .keys()
      .some((word) => TELLING.test(word))
  )
    return false
  const [small, large] = one.size < other.size ? [one, other] : [other, one]
  const least = small.size < MIN_WORDS ? 1 : NEARLY_SAME
  if (small.size < least * large.size) return false
  let common = 0
  for (const word of small) if (large.has(word)) common += 1
  return common >= least * (one.size + other.size - common)
}
