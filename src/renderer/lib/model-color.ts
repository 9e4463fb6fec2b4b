/** Families of models, with the number of their color. A family keeps its color in every chart and range. */
const FAMILIES: readonly (readonly [name: string, color: number])[] = [
  ['opus', 1],
  ['sonnet', 2],
  ['haiku', 3],
  ['gpt', 4],
  ['fable', 5],
]
const OTHER = 6
/** Shares of the family's color in the colors of its versions, in turn: each differs clearly from those around it. */
const SHADES = [100, 89, 67, 45, 78, 56, 56, 78, 56, 89, 67] as const

/** Returns the color of a model: the color of its family, in a shade for its version. */
export function modelColor(model: string): string {
  const name = model.toLowerCase()
  const color = FAMILIES.find(([family]) => name.includes(family))?.[1] ?? OTHER
  const shade = SHADES[versionShade(name)] ?? 100
  return shade === 100
    ? `var(--chart-${color})`
    : `color-mix(in oklab, var(--chart-${color}) ${shade}%, var(--surface))`
}

function versionShade(name: string): number {
  const [, major, minor = 0] = /(?:^|\D)(\d{1,2})(?:[-.](\d{1,2}))?(?:\D|$)/.exec(name) ?? []
  return major === undefined ? 0 : (Number(major) * 10 + Number(minor)) % SHADES.length
}
