/** Prompts offered on each side. A menu of thousands is unusable, and the next choice continues from there. */
const EACH_SIDE = 100

/** Returns the range of prompts around the one at `at`; −1 counts as the first. */
export function promptsAround(count: number, at: number): { readonly from: number; readonly until: number } {
  const from = Math.max(0, Math.min(at - EACH_SIDE, count - 2 * EACH_SIDE))
  return { from, until: Math.min(count, from + 2 * EACH_SIDE) }
}
