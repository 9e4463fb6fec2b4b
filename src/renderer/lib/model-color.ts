/** Families of models, with the number of their color. A family keeps its color in every chart and range. */
const FAMILIES: readonly (readonly [name: string, color: number])[] = [
  ['opus', 1],
  ['sonnet', 2],
  ['haiku', 3],
  ['gpt', 4],
  ['fable', 5],
]
const OTHER = 6
/** Shares of the family's color in the colors of its newer and older versions, so that versions differ. */
const SHADES = [100, 72, 52] as const

/** Returns the color of a model: the color of its family, in a shade for its version. */
export function modelColor(model: string): string {
  const name = model.toLowerCase()
  const color = FAMILIES.find(([family]) => name.includes(family))?.[1] ?? OTHER
  const shade = SHADES[versionShade(name)] ?? 100
  return shade === 100
    ? `var(--chart-${color})`
    : `color-mix(in oklab, var(--chart-${color}) ${shade}%, var(--surface))`
}

/** Versions from 5 up have the full color; 4.5 up to 5, and older ones, lighter shades. */
function versionShade(name: string): number {
  const match = /(?:^|\D)(\d{1,2})(?:[-.](\d{1,2}))?(?:\D|$)/.exec(name)
  if (match === null) return 0
  const version = Number(match[1]) + Number(match[2] ?? 0) / 10
  return version >= 5 ? 0 : version >= 4.5 ? 1 : 2
}
