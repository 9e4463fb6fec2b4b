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

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .slice(0, COMPARED)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]{2,}/gu) ?? [text.trim()],
  )

/** One such word changes the meaning of a text. */
const TELLING = /\p{N}|^(?:not?|never|nor|none|without|instead|don|doesn|didn|won|isn|aren|wasn|can|cannot)$/u

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
