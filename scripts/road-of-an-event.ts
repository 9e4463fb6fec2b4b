/**
 * `node scripts/road-of-an-event.ts [ROOT] [--most N]`: lists the source modules whose code runs for one exchange, from the proxy's tap to
 * the tables and from the commit to the window's live store. ROOT is a checkout with its node_modules; this one by default.
 * With N, the exit code is 1 if an event passes more modules up to the tables.
 *
 * Runs the app from its sources with V8's precise coverage on all threads. A function counts if it is called more often in every
 * window with an exchange than in any idle window of the same length. React components are not included, since they need a
 * browser.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import type { Measurement } from './road/drive-app.ts'

interface Stop {
  readonly file: string
  readonly thread: string
  readonly firstAt: number
  readonly functions: number
}

const { values, positionals } = parseArgs({ options: { most: { type: 'string' } }, allowPositionals: true })
const root = resolve(positionals[0] ?? join(import.meta.dirname, '..'))
const sources = join(root, 'src')

/** Code of the live feed on any thread, and all of the window's. */
const LIVE =
  /^renderer\/|^main\/(?:live|surfaces|dispatch|readers|operations)\b|(?:^|\/)live-(?:batcher|feed|text)\.ts$|^shared\/(?:turn-state|contract)/
/** Consumers of a commit besides the live feed. */
const OTHER = /^main\/(?:sinks|budgets|notices|health)\//

/** The commit's road, or what else follows from an exchange. */
function roadOf({ file, thread }: Stop): 'tables' | 'pixel' | 'other' {
  if (LIVE.test(file) || thread.startsWith('reader')) return 'pixel'
  return OTHER.test(file) ? 'other' : 'tables'
}

async function measure(): Promise<readonly Measurement[]> {
  const preload = pathToFileURL(join(import.meta.dirname, 'road/observe-thread.ts')).href
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, 'road/drive-app.ts'), root],
    {
      env: { ...process.env, NODE_OPTIONS: `--import=${preload}`, ASPY_ROAD_SOURCES: pathToFileURL(sources).href },
      maxBuffer: 256 * 1024 * 1024,
    },
  )
  return JSON.parse(stdout) as readonly Measurement[]
}

/** Returns the modules that ran for the exchange, by thread, with their number of functions. */
function stopsOf(measurements: readonly Measurement[]): Stop[] {
  const rounds = measurements.map(({ isIdle, threads }) => {
    const calls = new Map<string, { count: number; firstAt: number }>()
    for (const { thread, functions } of threads)
      for (const { url, key, count, firstAt } of functions) {
        const name = JSON.stringify([thread, url, key])
        const known = calls.get(name)
        calls.set(name, { count: (known?.count ?? 0) + count, firstAt: Math.min(firstAt, known?.firstAt ?? Infinity) })
      }
    return { isIdle, calls }
  })
  const [idle, busy] = [rounds.filter(({ isIdle }) => isIdle), rounds.filter(({ isIdle }) => !isIdle)]
  const stops = new Map<string, Stop>()
  for (const name of busy[0]?.calls.keys() ?? []) {
    const most = Math.max(...idle.map(({ calls }) => calls.get(name)?.count ?? 0))
    if (!busy.every(({ calls }) => (calls.get(name)?.count ?? 0) > most)) continue
    const [thread, url] = JSON.parse(name) as [string, string, string]
    const file = relative(sources, fileURLToPath(url)).replaceAll('\\', '/')
    // The order is that of one window: mixing windows would mix their orders.
    const firstAt = busy[0]?.calls.get(name)?.firstAt ?? Infinity
    const known = stops.get(`${thread} ${file}`)
    stops.set(`${thread} ${file}`, {
      file,
      thread,
      firstAt: Math.min(firstAt, known?.firstAt ?? Infinity),
      functions: (known?.functions ?? 0) + 1,
    })
  }
  return [...stops.values()].toSorted((a, b) => a.firstAt - b.firstAt || a.file.localeCompare(b.file))
}

const linesOf = (file: string): number => readFileSync(join(sources, file), 'utf8').split('\n').length - 1

function print(title: string, stops: readonly Stop[]): void {
  const files = [...new Set(stops.map(({ file }) => file))]
  const lines = files.reduce((sum, file) => sum + linesOf(file), 0)
  console.log(`\n${title}: ${files.length} modules, ${lines} lines`)
  console.log('   at ms  thread       functions  lines  module')
  for (const { file, thread, firstAt, functions } of stops)
    console.log(
      `${firstAt.toFixed(0).padStart(8)}  ${thread.padEnd(11)}  ${String(functions).padStart(9)}  ${String(linesOf(file)).padStart(5)}  ${file}`,
    )
}

const stops = stopsOf(await measure())
const toTables = stops.filter((stop) => roadOf(stop) === 'tables')
print('Tap to tables', toTables)
print(
  'Commit to pixel',
  stops.filter((stop) => roadOf(stop) === 'pixel'),
)
print(
  'Other consumers of the commit',
  stops.filter((stop) => roadOf(stop) === 'other'),
)

const modules = new Set(toTables.map(({ file }) => file)).size
if (values.most !== undefined && modules > Number(values.most)) {
  console.error(`\nan event passes ${modules} modules up to the tables, with a ceiling of ${values.most}`)
  process.exitCode = 1
}
