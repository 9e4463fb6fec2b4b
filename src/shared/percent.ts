/** Returns a share of 1 as a percentage without needless digits. 99.9 never becomes 100, nor 0.1 zero. */
export function percentOf(share: number): number {
  const [sign, size] = [Math.sign(share), Math.abs(share) * 100]
  const tenths = Math.round(size * 10) / 10
  if (size > 99 && size < 100) return sign * Math.min(99.9, tenths)
  if (size > 0 && size < 1) return sign * Math.max(0.1, tenths)
  return sign * Math.round(size)
}
