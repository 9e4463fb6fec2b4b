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

const ROUNDS = 400
/** Steps of fewer times the resolution are mostly rounding. */
const COARSE = 4

/**
 * Estimates what each feature weighs in the limit: non-negative least squares, drawn towards one common weight (`resolution`
 * is the smallest step that the API reports). The less the rises say about a feature, the closer its weight stays to that.
 */
export function fitWeights(rises: readonly Rise[], count: number, resolution: number): Weights {
  const cost = rises.reduce((sum, { features }) => sum + features.reduce((all, value) => all + value, 0), 0)
  const steps = rises.reduce((sum, { step }) => sum + step, 0)
  const common = cost > 0 ? steps / cost : 0
  const weights = Array.from({ length: count }, () => common)
  if (common === 0 || rises.length < 2) return { of: weights, error: errorOf(rises, weights) }
  const noise = Math.max(resolution ** 2 / 6, (1e-4 * (steps / rises.length)) ** 2)
  const pull = noise / common ** 2
  const isCoarse = steps / rises.length < COARSE * resolution
  const equations = isCoarse ? cumulated(rises, count) : rises
  const gram = Array.from({ length: count }, (_, i) =>
    Array.from({ length: count }, (__, j) =>
      equations.reduce((sum, { features }) => sum + (features[i] ?? 0) * (features[j] ?? 0), 0),
    ),
  )
  const target = Array.from({ length: count }, (_, i) =>
    equations.reduce((sum, { features, step }) => sum + (features[i] ?? 0) * step, 0),
  )
  for (let round = 0; round < ROUNDS; round += 1)
    for (let i = 0; i < count; i += 1) {
      const row = gram[i] ?? []
      const others = row.reduce((sum, value, j) => (j === i ? sum : sum + value * (weights[j] ?? 0)), 0)
      const own = (row[i] ?? 0) + pull
      weights[i] = Math.max(0, ((target[i] ?? 0) - others + pull * common) / own)
    }
  return { of: weights, error: errorOf(equations, weights) }
}

/**
 * Adds up rises, less their average. A rounded value errs independently at each rise, its steps do not: what one step has
 * too much, the next has too little.
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
