/** Quantile of the normal distribution for 95 %. */
const Z = 1.96

/** Returns the Wilson interval of a share, 95 %. */
export function wilson(hits: number, tries: number): readonly [low: number, high: number] {
  if (tries === 0) return [0, 1]
  const share = hits / tries
  const middle = share + Z ** 2 / (2 * tries)
  const half = Z * Math.sqrt((share * (1 - share)) / tries + Z ** 2 / (4 * tries ** 2))
  const whole = 1 + Z ** 2 / tries
  return [(middle - half) / whole, (middle + half) / whole]
}
