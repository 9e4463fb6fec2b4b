/** A run of text that both versions have, or only one of them. */
export interface DiffSpan {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

/** Bounds the table of a comparison, and with it the time that one block may take. */
const MAX_CELLS = 400_000

/**
 * Compares two texts character by character. If too much differs for that, it compares word by word, and if even that
 * is too much, returns the part that differs as removed and added. Joined without the added spans, the result is
 * `before`; without the removed ones, `after`.
 */
export function diffCharacters(before: string, after: string): DiffSpan[] {
  const [old, next] = [[...before], [...after]]
  let start = 0
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1
  let end = 0
  while (
    end < old.length - start &&
    end < next.length - start &&
    old[old.length - 1 - end] === next[next.length - 1 - end]
  )
    end += 1
  return joined([
    { kind: 'same', text: old.slice(0, start).join('') },
    ...changedSpans(old.slice(start, old.length - end), next.slice(start, next.length - end)),
    { kind: 'same', text: old.slice(old.length - end).join('') },
  ])
}

/** Compares two lines word by word. Returns null if they share too little for marks to help. */
export function diffWords(before: string, after: string): readonly DiffSpan[] | null {
  const [old, next] = [wordsOf([before]), wordsOf([after])]
  if (old.length * next.length > MAX_CELLS) return null
  const spans = joined(commonSubsequence(old, next))
  const shared = spans.reduce((sum, span) => sum + (span.kind === 'same' ? span.text.trim().length : 0), 0)
  return shared * 3 < Math.max(before.trim().length, after.trim().length) ? null : spans
}

function changedSpans(old: readonly string[], next: readonly string[]): DiffSpan[] {
  if (old.length * next.length <= MAX_CELLS) return commonSubsequence(old, next)
  const [oldWords, nextWords] = [wordsOf(old), wordsOf(next)]
  if (oldWords.length * nextWords.length <= MAX_CELLS) return commonSubsequence(oldWords, nextWords)
  return [
    { kind: 'removed', text: old.join('') },
    { kind: 'added', text: next.join('') },
  ]
}

function wordsOf(characters: readonly string[]): readonly string[] {
  return characters.join('').match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_]/gu) ?? []
}

/** Diffs two lists by their longest common subsequence. */
function commonSubsequence(old: readonly string[], next: readonly string[]): DiffSpan[] {
  const width = next.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  const length = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = next.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        old[i] === next[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1))
    }
  }
  const spans: DiffSpan[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < next.length) {
    const [left, right] = [old[i], next[j]]
    if (left !== undefined && left === right) {
      spans.push({ kind: 'same', text: left })
      i += 1
      j += 1
    } else if (left !== undefined && (right === undefined || length(i + 1, j) >= length(i, j + 1))) {
      spans.push({ kind: 'removed', text: left })
      i += 1
    } else {
      spans.push({ kind: 'added', text: right ?? '' })
      j += 1
    }
  }
  return spans
}

/** Joins neighbors of one kind and drops empty spans. */
function joined(spans: readonly DiffSpan[]): DiffSpan[] {
  const merged: DiffSpan[] = []
  for (const span of spans) {
    const last = merged.at(-1)
    if (span.text === '') continue
    if (last?.kind === span.kind) merged[merged.length - 1] = { kind: span.kind, text: last.text + span.text }
    else merged.push(span)
  }
  return merged
}
