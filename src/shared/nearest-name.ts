/** Returns the known name that `typed` was most likely meant to be; null if none is within the given number of edits. */
export function nearestName(
  typed: string,
  known: readonly string[],
  mostEdits = Math.max(typed.length < 4 ? 1 : 2, Math.floor(typed.length / 3)),
): string | null {
  const wanted = typed.toLowerCase().replaceAll('-', '_')
  let best: { name: string; distance: number } | null = null
  for (const name of known) {
    if (Math.abs(name.length - wanted.length) > mostEdits) continue
    const distance = editDistance(wanted, name.toLowerCase())
    if (best === null || distance < best.distance) best = { name, distance }
  }
  return best !== null && best.distance <= mostEdits ? best.name : null
}

/** Returns the known name that `typed` was most likely meant to be, or begins, or is a part of; null if there is none. */
export const nameMeant = (typed: string, known: readonly string[], mostEdits?: number): string | null =>
  nearestName(typed, known, mostEdits) ??
  known.find((name) => typed !== '' && name.startsWith(typed)) ??
  known.find((name) => typed.length > 1 && (name.includes(typed) || (name.length > 3 && typed.includes(name)))) ??
  null

/** Bounds what is compared of each name: the time grows with the product of the lengths. */
const MAX_COMPARED = 60

/** Sorts names by how much their last part differs from `typed`. */
export function nearestFirst(typed: string, names: readonly string[]): string[] {
  const end = (name: string) =>
    name
      .toLowerCase()
      .split(/[\\/]|__/)
      .findLast((part) => part !== '')
      ?.slice(0, MAX_COMPARED) ?? ''
  const wanted = end(typed)
  const distances = new Map(names.map((name) => [name, editDistance(wanted, end(name))]))
  return names.toSorted((one, other) => (distances.get(one) ?? 0) - (distances.get(other) ?? 0))
}

/** Counts the insertions, deletions, replacements and swaps of neighbours between two words. */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= to.length; j += 1) {
      const cost = from[i - 1] === to[j - 1] ? 0 : 1
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1])
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1)
      row.push(best)
    }
    beforeLast = last
    last = row
  }
  return last[to.length] ?? from.length
}
