/** A rise of the used share, and the features of all calls that may have caused it. */
export interface Rise {
  readonly step: number
  readonly features: readonly number[]
}

export interface Weights {
  readonly of: readonly number[]
  /** Mean squared error over the rises. */
  readonly error: number
}

/** Fits, each with the noise that the previous fit left. */
const ROUNDS = 3
/** Steps of fewer times the resolution are mostly rounding. */
const COARSE = 4

/**
 * Estimates the weight of each feature in the limit: non-negative least squares, drawn towards one common weight
 * (`resolution` is the smallest step that the API reports). The less information the rises have about a feature, the
 * closer its weight stays to that.
 */
export function fitWeights(rises: readonly Rise[], count: number, resolution: number): Weights {
  const cost = rises.reduce((sum, { features }) => sum + features.reduce((all, value) => all + value, 0), 0)
  const steps = rises.reduce((sum, { step }) => sum + step, 0)
  const common = cost > 0 ? steps / cost : 0
  const weights = Array.from({ length: count }, () => common)
  if (common === 0 || rises.length < 2) return { of: weights, error: errorOf(rises, weights) }
  const floor = (1e-4 * (steps / rises.length)) ** 2
  const isCoarse = steps / rises.length < COARSE * resolution
  const equations = isCoarse ? cumulated(rises, count) : rises
  const gram = weights.map((_, i) =>
    weights.map((__, j) => equations.reduce((sum, { features }) => sum + (features[i] ?? 0) * (features[j] ?? 0), 0)),
  )
  const target = weights.map((_, i) =>
    equations.reduce((sum, { features, step }) => sum + (features[i] ?? 0) * step, 0),
  )
  // A value just rose past a step of the scale, so it is known better than the scale suggests.
  const most = Math.max(floor, resolution ** 2 / 6)
  let [noise, fitted] = [most, weights]
  for (let round = 0; round < ROUNDS; round += 1) {
    fitted = solveNonNegative(gram, target, noise / common ** 2, common)
    const free = Math.max(1, equations.length - count)
    noise = Math.min(most, Math.max(floor, (errorOf(equations, fitted) * equations.length) / free))
  }
  return { of: fitted, error: errorOf(equations, fitted) }
}

/** Solves (gram + pull) weights = target + pull × common. A weight that would be negative is 0. */
function solveNonNegative(
  gram: readonly (readonly number[])[],
  target: readonly number[],
  pull: number,
  common: number,
): number[] {
  let active = target.map((_, at) => at)
  for (;;) {
    const rows = active.map((i) => [
      ...active.map((j) => (gram[i]?.[j] ?? 0) + (i === j ? pull : 0)),
      (target[i] ?? 0) + pull * common,
    ])
    const solved = solveLinear(rows)
    const least = Math.min(...solved)
    if (least >= 0 || active.length === 1) {
      const found = target.map(() => 0)
      active.forEach((i, at) => (found[i] = Math.max(0, solved[at] ?? 0)))
      return found
    }
    active = active.filter((_, at) => solved[at] !== least)
  }
}

/** Solves linear equations, each with its right side last, by elimination. The matrix is positive definite. */
function solveLinear(rows: number[][]): number[] {
  rows.forEach((row, at) => {
    const pivot = row[at] ?? 1
    for (const other of rows.slice(at + 1)) {
      const factor = (other[at] ?? 0) / pivot
      for (let column = at; column < row.length; column += 1)
        other[column] = (other[column] ?? 0) - factor * (row[column] ?? 0)
    }
  })
  const found = rows.map(() => 0)
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const row = rows[at] ?? []
    const rest = found.reduce((sum, value, column) => (column > at ? sum + value * (row[column] ?? 0) : sum), 0)
    found[at] = ((row.at(-1) ?? 0) - rest) / (row[at] ?? 1)
  }
  return found
}

/**
 * Adds up rises, less their average. A rounded value errs independently at each rise, its steps do not: an excess in
 * one step is missing from the next.
 */
function cumulated(rises: readonly Rise[], count: number): Rise[] {
  const features = Array.from({ length: count }, () => 0)
  let step = 0
  const sums = rises.map((rise) => {
    step += rise.step
    rise.features.forEach((value, i) => (features[i] = (features[i] ?? 0) + value))
    return { step, features: [...features] }
  })
  const meanOf = (pick: (sum: Rise) => number) => sums.reduce((sum, each) => sum + pick(each), 0) / sums.length
  const meanStep = meanOf((sum) => sum.step)
  const means = features.map((_, i) => meanOf((sum) => sum.features[i] ?? 0))
  return sums.map((sum) => ({
    step: sum.step - meanStep,
    features: sum.features.map((value, i) => value - (means[i] ?? 0)),
  }))
}

/** Returns the rise that features explain. */
export const explained = (features: readonly number[], weights: readonly number[]): number =>
  features.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0)

function errorOf(rises: readonly Rise[], weights: readonly number[]): number {
  if (rises.length === 0) return 0
  return rises.reduce((sum, { step, features }) => sum + (step - explained(features, weights)) ** 2, 0) / rises.length
}
