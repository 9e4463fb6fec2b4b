import { diffParts, type DiffLine } from '../../shared/line-diff.ts'

/** Bounds the table of a comparison, and with it the time that one block may take. */
const MAX_CELLS = 400_000

/**
 * Compares two texts character by character. If too much differs for that, it compares word by word, and if even that
 * is too much, returns the part that differs as removed and added. Joined without the added spans, the result is
 * `before`; without the removed ones, `after`.
 */
export function diffCharacters(before: string, after: string): DiffLine[] {
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
export function diffWords(before: string, after: string): readonly DiffLine[] | null {
  const [old, next] = [wordsOf([before]), wordsOf([after])]
  if (old.length * next.length > MAX_CELLS) return null
  const spans = joined(diffParts(old, next))
  const shared = spans.reduce((sum, span) => sum + (span.kind === 'same' ? span.text.trim().length : 0), 0)
  return shared * 3 < Math.max(before.trim().length, after.trim().length) ? null : spans
}

function changedSpans(old: readonly string[], next: readonly string[]): DiffLine[] {
  if (old.length * next.length <= MAX_CELLS) return diffParts(old, next)
  const [oldWords, nextWords] = [wordsOf(old), wordsOf(next)]
  if (oldWords.length * nextWords.length <= MAX_CELLS) return diffParts(oldWords, nextWords)
  return [
    { kind: 'removed', text: old.join('') },
    { kind: 'added', text: next.join('') },
  ]
}

const wordsOf = (characters: readonly string[]): readonly string[] =>
  characters.join('').match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_]/gu) ?? []

/** Joins neighbors of one kind and drops empty spans. */
function joined(spans: readonly DiffLine[]): DiffLine[] {
  const merged: DiffLine[] = []
  for (const span of spans) {
    const last = merged.at(-1)
    if (span.text === '') continue
    if (last?.kind === span.kind) merged[merged.length - 1] = { kind: span.kind, text: last.text + span.text }
    else merged.push(span)
  }
  return merged
}
