import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

type Rgb = readonly [number, number, number]

/** Text needs 4.5; the rest is a margin for rounding and antialiasing. */
const ENOUGH = 4.7
const THEMES = themesOf(readFileSync(new URL('../../../src/renderer/styles/tokens.css', import.meta.url), 'utf8'))

/** Surfaces on which any text may appear, also when hovered, selected or streaming. */
const SURFACES = ['bg', 'surface', 'sunken', 'hover', 'accent-tint', 'accent-soft']
const TEXTS = ['ink', 'soft', 'faint', 'accent', 'good', 'warn', 'bad']
/** Surfaces on which only some text colors appear. */
/** Lines of a diff are in syntax colors. */
const SYNTAX = ['syn-keyword', 'syn-string', 'syn-class', 'syn-property', 'syn-comment']
const PAIRS: readonly (readonly [surface: string, texts: readonly string[]])[] = [
  ['good-soft', ['ink', 'soft', 'good', ...SYNTAX]],
  ['warn-soft', ['ink', 'soft', 'warn']],
  ['bad-soft', ['ink', 'soft', 'bad', ...SYNTAX]],
  ['mark', ['mark-ink']],
  ['accent', ['accent-ink']],
  ['accent-hover', ['accent-ink']],
]

function themesOf(css: string): Map<string, Map<string, Rgb>> {
  const themes = new Map<string, Map<string, Rgb>>()
  for (const [, name = 'light', body = ''] of css.matchAll(/:root(?:\[data-theme='([a-z-]+)'\])? \{([^}]*)\}/g)) {
    const tokens = new Map(themes.get('light'))
    for (const [, token = '', value = ''] of body.matchAll(/--([a-z0-9-]+): #([0-9a-f]{6});/g)) {
      tokens.set(token, [0, 2, 4].map((at) => Number.parseInt(value.slice(at, at + 2), 16)) as unknown as Rgb)
    }
    themes.set(name, tokens)
  }
  return themes
}

/** Returns the WCAG 2 contrast ratio, 1 to 21. */
function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

test('all four themes are read', () => {
  expect([...THEMES.keys()]).toEqual(['light', 'dark', 'solarized-light', 'solarized-dark'])
  expect(contrast([0, 0, 0], [255, 255, 255])).toBe(21)
})

describe.each([...THEMES])('%s', (_name, tokens) => {
  const color = (token: string): Rgb => {
    if (token === 'accent-hover') return mixed(color('accent'), color('ink'))
    const found = tokens.get(token)
    if (found === undefined) throw new Error(`no token --${token}`)
    return found
  }
  const mixed = (one: Rgb, other: Rgb): Rgb =>
    one.map((value, at) => value * 0.88 + (other[at] ?? 0) * 0.12) as unknown as Rgb

  test('text is readable on every surface it appears on', () => {
    const everywhere = [...TEXTS, ...[...tokens.keys()].filter((token) => /^(?:k|syn)-/.test(token))]
    const pairs = [...SURFACES.map((surface) => [surface, everywhere] as const), ...PAIRS]
    const poor = pairs.flatMap(([surface, texts]) =>
      texts
        .map((text) => ({ text, surface, contrast: Number(contrast(color(text), color(surface)).toFixed(2)) }))
        .filter((pair) => pair.contrast < ENOUGH),
    )
    expect(poor).toEqual([])
  })
})

test('no text is on a translucent surface or fades', () => {
  const folder = fileURLToPath(new URL('../../../src/renderer', import.meta.url))
  const found = globSync('**/*.tsx', { cwd: folder }).flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /(?:bg-[a-z-]+-soft|bg-hover|text-[a-z-]+)\/\d+|transition-opacity/g,
      ),
    ].map(([use]) => `${file}: ${use}`),
  )
  expect(found).toEqual([])
})
