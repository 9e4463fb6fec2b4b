import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { barChart, lineChart, type BarGroup } from './plot.ts'

/** `node tests/bench/plots.ts`: draws the results of the last `npm run bench` (out/bench) into docs/images. */
const ROOT = join(import.meta.dirname, '../..')

type Proxies = Record<string, Record<string, { readonly p50: number; readonly p99?: number }>>
type Day = {
  readonly samples: readonly { readonly second: number; readonly memory_mb: number; readonly lag_ms: number }[]
}
type Reading = {
  readonly sizes: readonly { readonly events: number; readonly readings: Record<string, { readonly p95: number }> }[]
}

const PROXY_MEASURES = {
  'streams_1.first_byte_ms': ['First byte, 1 stream, p50', 'ms'],
  'streams_10.first_byte_ms': ['First byte, 10 streams in a closed loop, p50', 'ms'],
  'streams_100.chunk_ms': ['A chunk, 100 streams, p50', 'ms'],
  request_2_mb_ms: ['A request of 2 MB, p50', 'ms'],
  'streams_100.exchanges_per_second': ['Small exchanges at 100 streams', 'a second'],
} as const

draw('bench-proxy', 'proxy', (proxies: Proxies) =>
  barChart(
    'What a proxy adds',
    Object.entries(PROXY_MEASURES).flatMap(([measure, [title, unit]]) => groupOf(proxies, measure, title, unit)),
  ),
)
draw('bench-day', 'day', ({ samples }: Day) =>
  lineChart(
    'A day of heavy use in five minutes',
    { x: { title: 'seconds', isLogarithmic: false }, y: { title: 'memory and lag', isLogarithmic: false } },
    [
      { name: 'memory, MB', points: samples.map(({ second, memory_mb }) => [second, memory_mb] as const) },
      { name: 'lag of commits, ms', points: samples.map(({ second, lag_ms }) => [second, lag_ms] as const) },
    ],
  ),
)

draw('bench-reading', 'reading', ({ sizes }: Reading) =>
  lineChart(
    'Reading, while the log grows',
    { x: { title: 'events', isLogarithmic: true }, y: { title: 'p95, ms', isLogarithmic: true } },
    Object.keys(sizes[0]?.readings ?? {}).map((name) => ({
      name,
      points: sizes.map(({ events, readings }) => [events, readings[name]?.p95 ?? Number.NaN] as const),
    })),
  ),
)

function groupOf(proxies: Proxies, measure: string, title: string, unit: string): BarGroup[] {
  const bars = Object.entries(proxies[measure] ?? {}).map(([name, { p50 }]) => ({
    name: name.replaceAll('_', ' '),
    value: p50,
    isOurs: name.startsWith('aspy'),
  }))
  return bars.length === 0 ? [] : [{ title, unit, bars }]
}

function draw<Found>(image: string, bench: string, chart: (found: Found) => string): void {
  const file = join(ROOT, 'out/bench', `${bench}.txt`)
  if (!existsSync(file)) return console.log(`${bench}: not run yet (npm run bench -- ${bench})`)
  writeFileSync(join(ROOT, 'docs/images', `${image}.svg`), chart(JSON.parse(readFileSync(file, 'utf8')) as Found))
  console.log(`docs/images/${image}.svg`)
}
