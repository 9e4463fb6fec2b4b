import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { launchDesktop, onRealElectron } from '../support/desktop/launch-desktop.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'

const RUNS = Number(process.env['ASPY_BENCH_RUNS'] ?? 5)
const IDLE_MS = Number(process.env['ASPY_BENCH_IDLE_MS'] ?? 20_000)
const root = join(import.meta.dirname, '../..')
/** Prevents questions to the user during a run. */
const NOWHERE = 'http://127.0.0.1:9'

/**
 * Measures the time from starting the desktop app to a window with its first view, and the cost of the idle app. With the Electron
 * double, the runtime is Node and Chromium: only figures of our own bundle are comparable.
 */
export async function benchDesktop(): Promise<Record<string, unknown>> {
  const starts = []
  for (let run = 0; run < RUNS; run += 1) starts.push(await startOnce())
  return {
    runtime: onRealElectron ? 'Electron' : 'test double',
    runs: RUNS,
    main_bundle_evaluation_ms: median(starts.map(({ evaluationMs }) => evaluationMs)),
    modules_before_ready: starts[0]?.modulesBeforeReady ?? null,
    modules_with_the_window: starts[0]?.modules ?? null,
    start_to_first_view_ms: median(starts.map(({ firstViewMs }) => firstViewMs)),
    serve: await serveOnce(),
    idle: await idle(),
  }
}

async function startOnce() {
  using data = makeTempFolder('aspy-bench-')
  const before = performance.now()
  const desktop = await launchDesktop({ dataDir: data.path, upstream: NOWHERE })
  try {
    await (await desktop.page()).getByRole('navigation').getByText('Live').waitFor()
    const firstViewMs = performance.now() - before
    const modules = await desktop.electron.evaluate(() => {
      const { electronDouble } = globalThis as unknown as { electronDouble?: { modules: DoubleModules } }
      return electronDouble?.modules ?? null
    })
    return {
      firstViewMs,
      evaluationMs: modules?.evaluationMs ?? Number.NaN,
      modulesBeforeReady: modules === null ? null : modules.beforeReady - modules.beforeApp,
      modules: modules === null ? null : modules.loaded.length - modules.beforeApp,
    }
  } finally {
    await desktop.close()
  }
}

interface DoubleModules {
  readonly loaded: readonly string[]
  readonly beforeApp: number
  readonly beforeReady: number
  readonly evaluationMs: number
}

/** Times `aspy serve` from its start until it is ready and until it serves the page. */
async function serveOnce(): Promise<Record<string, number>> {
  using data = makeTempFolder('aspy-bench-')
  const before = performance.now()
  const args = ['serve', '--json', '--data', data.path, '--port', '0', '--proxy-port', '0', '--upstream', NOWHERE]
  const child = spawn(process.execPath, [join(root, 'bin/aspy'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const readyMs = performance.now() - before
  const { app } = JSON.parse(line) as { app: string }
  await (await fetch(`${app}/live`)).text()
  const pageMs = performance.now() - before
  child.kill('SIGTERM')
  await once(child, 'exit')
  return { start_to_ready_ms: Math.round(readyMs), start_to_served_page_ms: Math.round(pageMs) }
}

/** Measures memory and processor time of the idle main process, with its window open and then closed. */
async function idle(): Promise<Record<string, unknown>> {
  using data = makeTempFolder('aspy-bench-')
  const desktop = await launchDesktop({ dataDir: data.path, upstream: NOWHERE })
  try {
    await (await desktop.page()).getByRole('navigation').getByText('Live').waitFor()
    await pause(5000)
    const spent = () =>
      desktop.electron.evaluate(() => ({
        cpu: process.cpuUsage(),
        memory: process.memoryUsage(),
        at: performance.now(),
      }))
    const measure = async () => {
      const from = await spent()
      await pause(IDLE_MS)
      const to = await spent()
      const cpuMs = (to.cpu.user + to.cpu.system - from.cpu.user - from.cpu.system) / 1000
      return {
        rss_mb: Math.round(to.memory.rss / 2 ** 20),
        heap_mb: Math.round(to.memory.heapUsed / 2 ** 20),
        cpu_percent_of_a_core: Math.round((cpuMs / (to.at - from.at)) * 1000) / 10,
      }
    }
    const withWindow = await measure()
    await desktop.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
    return { seconds: IDLE_MS / 1000, with_window: withWindow, in_the_tray: await measure() }
  } finally {
    await desktop.close()
  }
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(JSON.stringify(await benchDesktop(), null, 2))
}
