/** A list of thousands can be neither read nor drawn: so many on either side are shown, and the next choice goes on from there. */
const EACH_SIDE = 100

/** Which of `count` prompts stand around the one at `at` (−1: the first). */
export function promptsAround(count: number, at: number): { readonly from: number; readonly until: number } {
  const from = Math.max(0, Math.min(at - EACH_SIDE, count - 2 * EACH_SIDE))
  return { from, until: Math.min(count, from + 2 * EACH_SIDE) }
}
