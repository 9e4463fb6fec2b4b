/** A text with its `\u00XX` escapes of printable characters decoded, and a mapping of positions to the original. */
export interface EscapedView {
  readonly text: string
  toOriginal(position: number): number
  fromOriginal(position: number): number
}

const ESCAPE = /\\{1,4}u00([2-7][0-9A-Fa-f])/g
const UNFINISHED = /\\{1,4}(?:u(?:0(?:0[2-7]?)?)?)?$/
const same = (position: number) => position

/**
 * Decodes escapes: JSON may escape any character, and JSON within JSON doubles the backslash. Unless `final`, an escape cut
 * off by the end of the text is left out of the view.
 */
export function escapedView(original: string, final: boolean): EscapedView {
  const cut = final ? -1 : original.slice(-16).search(UNFINISHED)
  const whole = cut < 0 ? original : original.slice(0, Math.max(0, original.length - 16) + cut)
  if (!whole.includes('\\u00')) return { text: whole, toOriginal: same, fromOriginal: same }
  // The view's position after each escape, and how many characters it lags behind the original from there.
  const from: number[] = []
  const behind: number[] = []
  let text = ''
  let done = 0
  for (const hit of whole.matchAll(ESCAPE)) {
    text += whole.slice(done, hit.index) + String.fromCharCode(Number.parseInt(hit[1] ?? '', 16))
    done = hit.index + hit[0].length
    from.push(text.length)
    behind.push(done - text.length)
  }
  text += whole.slice(done)
  const toOriginal = (position: number) => position + (behind[lastAtMost(from, position)] ?? 0)
  return {
    text,
    toOriginal,
    fromOriginal: (position) => {
      const at = lastAtMost(
        from.map((start, index) => start + (behind[index] ?? 0)),
        position,
      )
      return position - (behind[at] ?? 0)
    },
  }
}

/** Returns the index of the last number that is at most `limit`, or -1. */
function lastAtMost(sorted: readonly number[], limit: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}
