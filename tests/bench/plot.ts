/**
 * Draws charts as SVG for docs/images, without a library or custom fonts, readable on light and dark pages. Values are labelled, so
 * that no table is needed.
 */
const WIDTH = 760
const FONT = 'font-family="system-ui, sans-serif" font-size="12"'
const INK = '#6b7280'
const ACCENT = '#d97757'
const QUIET = '#94a3b8'

export interface Bar {
  readonly name: string
  readonly value: number
  /** Drawn in the accent colour. */
  readonly isOurs: boolean
}
export interface BarGroup {
  readonly title: string
  /** Unit of the values: ms, MB. */
  readonly unit: string
  readonly bars: readonly Bar[]
}

/** Draws groups of horizontal bars, each group on its own scale. */
export function barChart(title: string, groups: readonly BarGroup[]): string {
  const rows: string[] = []
  let y = 34
  for (const group of groups) {
    rows.push(text(8, y, `${group.title} (${group.unit})`, INK, 'font-weight="600"'))
    y += 8
    const most = Math.max(...group.bars.map(({ value }) => value))
    for (const { name, value, isOurs } of group.bars) {
      const width = Math.max(1, (value / most) * (WIDTH - 290))
      rows.push(
        text(150, y + 13, name, INK, 'text-anchor="end"'),
        `<rect x="158" y="${y + 2}" width="${width.toFixed(1)}" height="14" rx="2" fill="${isOurs ? ACCENT : QUIET}"/>`,
        text(164 + width, y + 13, written(value), INK),
      )
      y += 19
    }
    y += 26
  }
  return svg(title, y - 10, rows)
}

export interface Line {
  readonly name: string
  readonly points: readonly (readonly [number, number])[]
}

const LINE_COLORS = [
  '#d97757',
  '#3b82f6',
  '#10b981',
  '#a855f7',
  '#eab308',
  '#64748b',
  '#ec4899',
  '#06b6d4',
  '#84cc16',
  '#f43f5e',
  '#7c3aed',
]

export interface Axis {
  readonly title: string
  readonly isLogarithmic: boolean
}
/** Limits of marks on an axis and dots on a line. */
const MAX_MARKS = 8

/** Draws lines over two axes. */
export function lineChart(title: string, axes: { readonly x: Axis; readonly y: Axis }, lines: readonly Line[]): string {
  const all = lines.flatMap(({ points }) => points)
  const [left, right, top, bottom] = [60, WIDTH - 190, 40, 330]
  const xs = [...new Set(all.map(([at]) => at))].toSorted((a, b) => a - b)
  const ys = all.map(([, value]) => value)
  const x = scale(axes.x, xs, left, right)
  const y = scale(axes.y, axes.y.isLogarithmic ? ys : [0, ...ys], bottom, top)
  const step = Math.ceil(xs.length / MAX_MARKS)
  const marks = xs.filter((_, index) => index % step === 0)
  const rows = [
    `<path d="M${left} ${top}V${bottom}H${right}" fill="none" stroke="${INK}"/>`,
    text(left, top - 12, axes.y.title, INK),
    text(right, bottom + 34, axes.x.title, INK, 'text-anchor="end"'),
    ...marks.map((at) => text(x(at), bottom + 16, short(at), INK, 'text-anchor="middle"')),
  ]
  for (const [index, { name, points }] of lines.entries()) {
    const color = LINE_COLORS[index % LINE_COLORS.length] ?? INK
    const places = points.map(([at, value]) => [x(at).toFixed(1), y(value).toFixed(1)] as const)
    rows.push(
      `<path d="M${places.map((place) => place.join(' ')).join('L')}" fill="none" stroke="${color}" stroke-width="2"/>`,
    )
    if (points.length <= MAX_MARKS) {
      for (const [cx, cy] of places) rows.push(`<circle cx="${cx}" cy="${cy}" r="3" fill="${color}"/>`)
    }
    const last = points.at(-1)
    rows.push(text(right + 12, top + 8 + index * 18, `${name}: ${last ? written(last[1]) : ''}`, color))
  }
  return svg(title, bottom + 50, rows)
}

function scale({ isLogarithmic }: Axis, values: readonly number[], from: number, to: number) {
  const of = (value: number) => (isLogarithmic ? Math.log10(value) : value)
  const [low, high] = [of(Math.min(...values)), of(Math.max(...values))]
  return (value: number) => from + ((of(value) - low) / (high - low || 1)) * (to - from)
}

function svg(title: string, height: number, rows: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}" ${FONT}>
${rows.join('\n')}
</svg>
`
}

function text(x: number, y: number, words: string, color: string, more = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${color}" ${more}>${escaped(words)}</text>`
}

const escaped = (words: string) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const written = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3))
const short = (value: number) => (value >= 1e6 ? `${value / 1e6} M` : value >= 1000 ? `${value / 1000} k` : `${value}`)
