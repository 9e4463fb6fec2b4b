/** The density of the layout. The choice is stored in the browser. */

export const DENSITIES = ['compact', 'normal', 'large'] as const
export type Density = (typeof DENSITIES)[number]

export const DENSITY_LABELS: Readonly<Record<Density, string>> = {
  compact: 'Compact',
  normal: 'Normal',
  large: 'Large',
}

const STORAGE_KEY = 'aspy.density'
const listeners = new Set<() => void>()
let chosen: Density = 'normal'

/** Applies the stored density before the first paint. */
export function startDensity(): void {
  apply(DENSITIES.find((density) => density === localStorage.getItem(STORAGE_KEY)) ?? 'normal')
}

/** Chooses a density for this browser. */
export function chooseDensity(density: Density): void {
  localStorage.setItem(STORAGE_KEY, density)
  apply(density)
}

export const currentDensity = (): Density => chosen

export function subscribeDensity(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function apply(density: Density): void {
  chosen = density
  document.documentElement.dataset['density'] = density
  for (const listener of listeners) listener()
}
