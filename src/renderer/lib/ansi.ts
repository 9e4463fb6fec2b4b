import { CONTROLS, SEQUENCE, withoutOverwritten } from '../../shared/terminal-text.ts'

/** A run of terminal output in one style. */
export interface AnsiSpan {
  readonly text: string
  /** Class names; empty for plain text. */
  readonly look: string
}

interface Style {
  readonly hue: Hue | null
  readonly ground: Hue | null
  readonly bold: boolean
  readonly dim: boolean
  readonly italic: boolean
  readonly underline: boolean
}

type Hue = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'grey'

const PLAIN: Style = { hue: null, ground: null, bold: false, dim: false, italic: false, underline: false }
/** Colors of the theme replace those of the terminal, so that each can be read on the page in every theme. */
const HUES: Readonly<Record<Hue, string>> = {
  red: 'text-bad',
  green: 'text-good',
  yellow: 'text-warn',
  blue: 'text-k-agent',
  magenta: 'text-k-thinking',
  cyan: 'text-k-text',
  grey: 'text-faint',
}
const GROUNDS: Partial<Record<Hue, string>> = {
  red: 'bg-bad-soft text-bad',
  green: 'bg-good-soft text-good',
  yellow: 'bg-warn-soft text-warn',
}
/** By the last digit of a color's code; black and white are the page's own. */
const BASIC: readonly (Hue | null)[] = [null, 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', null]
/** Splits terminal output into runs of one style. Everything else that controls a terminal is removed. */
export function ansiSpans(output: string): readonly AnsiSpan[] {
  const text = withoutOverwritten(output)
  const spans: { text: string; look: string }[] = []
  let style = PLAIN
  let at = 0
  const put = (part: string): void => {
    const shown = part.replaceAll(CONTROLS, '')
    if (shown === '') return
    const look = lookOf(style)
    const last = spans.at(-1)
    if (last?.look === look) last.text += shown
    else spans.push({ text: shown, look })
  }
  for (const found of text.matchAll(SEQUENCE)) {
    put(text.slice(at, found.index))
    at = found.index + found[0].length
    if (found[2] === 'm') style = applied(style, found[1] ?? '')
  }
  put(text.slice(at))
  return spans
}

function lookOf({ hue, ground, bold, dim, italic, underline }: Style): string {
  const colors =
    ground === null ? (hue === null ? (dim ? 'text-faint' : '') : HUES[hue]) : (GROUNDS[ground] ?? 'bg-hover')
  return [colors, bold ? 'font-semibold' : '', italic ? 'italic' : '', underline ? 'underline' : '']
    .filter((one) => one !== '')
    .join(' ')
}

/** Applies the codes of one sequence ("Select Graphic Rendition", ECMA-48). */
function applied(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number)
  let next = style
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0
    if (code === 38 || code === 48) {
      const isIndexed = codes[at + 1] === 5
      const hue = isIndexed
        ? indexedHue(codes[at + 2] ?? 0)
        : rgbHue(codes[at + 2] ?? 0, codes[at + 3] ?? 0, codes[at + 4] ?? 0)
      next = code === 38 ? { ...next, hue } : { ...next, ground: hue ?? 'grey' }
      at += isIndexed ? 2 : 4
    } else next = withCode(next, code)
  }
  return next
}

function withCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN
  if (code === 1) return { ...style, bold: true }
  if (code === 2) return { ...style, dim: true }
  if (code === 3) return { ...style, italic: true }
  if (code === 4) return { ...style, underline: true }
  if (code === 7) return { ...style, ground: style.hue ?? 'grey' }
  if (code === 22) return { ...style, bold: false, dim: false }
  if (code === 23) return { ...style, italic: false }
  if (code === 24) return { ...style, underline: false }
  if (code === 27 || code === 49) return { ...style, ground: null }
  if (code === 39) return { ...style, hue: null }
  if (code === 90) return { ...style, hue: 'grey' }
  const place = code % 10
  const isColor = place < 8
  if (isColor && (between(code, 30, 37) || between(code, 91, 97))) return { ...style, hue: BASIC[place] ?? null }
  if (isColor && (between(code, 40, 47) || between(code, 100, 107))) return { ...style, ground: BASIC[place] ?? 'grey' }
  return style
}

const between = (value: number, from: number, until: number): boolean => value >= from && value <= until

/** Returns the hue of a color of the 256: 16 named ones, a cube of 6 × 6 × 6, and greys. */
function indexedHue(index: number): Hue | null {
  if (index === 8) return 'grey'
  if (index < 16) return BASIC[index % 8] ?? null
  if (index >= 232) return index < 250 ? 'grey' : null
  const cube = index - 16
  return rgbHue(Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51)
}

function rgbHue(red: number, green: number, blue: number): Hue | null {
  const most = Math.max(red, green, blue)
  const least = Math.min(red, green, blue)
  if (most - least < 40) return most > 80 && most < 200 ? 'grey' : null
  const isHigh = (value: number) => value > (most + least) / 2
  const key = `${Number(isHigh(red))}${Number(isHigh(green))}${Number(isHigh(blue))}`
  const hues: Readonly<Record<string, Hue>> = {
    '100': 'red',
    '010': 'green',
    '001': 'blue',
    '110': 'yellow',
    '101': 'magenta',
    '011': 'cyan',
  }
  return hues[key] ?? null
}
