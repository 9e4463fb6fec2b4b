import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { processOfApp } from './app-memory.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { fillYear } from '../support/window/year.ts'

const root = join(import.meta.dirname, '../..')
/** Shared with the bench `window`. */
const YEAR = {
  sessions: Number(process.env['ASPY_BENCH_SESSIONS'] ?? 2000),
  events: Number(process.env['ASPY_BENCH_EVENTS'] ?? 1_000_000),
  longest: Number(process.env['ASPY_BENCH_LONGEST'] ?? 100_000),
}
const SECONDS = Number(process.env['ASPY_BENCH_IDLE_SECONDS'] ?? 60)
const FILL_MS = Number(process.env['ASPY_BENCH_FILL_SECONDS'] ?? 3600) * 1000
const TICK_MS = 10
/** The app counts as quiet at this little processor time (ms) in this many samples, a second apart. */
const QUIET = { mostMs: 20, looks: 15, waitMs: 900_000 }

/**
 * Measures memory and processor time of the built, idle `aspy serve` over a year of work: alone, with its page open in a browser, and
 * after the page is closed. Linux only. Archiving is off, since it would run for minutes.
 */
export async function benchIdle(): Promise<Record<string, unknown>> {
  const data = join(root, `out/bench/year-${YEAR.events}`)
  if (!fillYear(data, YEAR, FILL_MS)) return { filling: 'not all of the year is there yet: run it again' }
  using folder = makeTempFolder('aspy-bench-idle-')
  const config = join(folder.path, 'config.toml')
  writeFileSync(config, '[lifestats]\nretention_days = 0\narchive_days = 0\n')
  const args = ['serve', '--json', '--data', data, '--config', config, '--port', '0', '--proxy-port', '0']
  const child = spawn(process.execPath, [join(root, 'bin/aspy'), ...args, '--upstream', 'http://127.0.0.1:9'], {
    env: { PATH: process.env['PATH'], HOME: folder.path },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    const pid = processOfApp(child.pid ?? 0)
    const { app, token } = JSON.parse(line) as { app: string; token: string }
    const alone = await measure(pid)
    const browser = await launchBrowser()
    let withPage: object
    try {
      const page = await browser.newPage()
      await page.goto(`${app}/#key=${token}`)
      await page.getByRole('heading', { name: 'Live' }).waitFor()
      withPage = await measure(pid)
    } finally {
      await browser.close()
    }
    // Readers end after a minute.
    await pause(60_000)
    return { year: YEAR, seconds: SECONDS, alone, with_a_page_open: withPage, after_it: await measure(pid) }
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
}

async function measure(pid: number): Promise<object> {
  const quietAfter = await quiet(pid)
  const before = processorMs(pid)
  await pause(SECONDS * 1000)
  const cpuMs = processorMs(pid) - before
  return {
    quiet_after_s: quietAfter,
    cpu_percent_of_a_core: Math.round((cpuMs / SECONDS / 10) * 100) / 100,
    ...memory(pid),
  }
}

/** Waits until the app is quiet. Returns the seconds it took. */
async function quiet(pid: number): Promise<number> {
  const begun = performance.now()
  let before = processorMs(pid)
  for (let looks = 0; looks < QUIET.looks && performance.now() - begun < QUIET.waitMs;) {
    await pause(1000)
    const now = processorMs(pid)
    looks = now - before <= QUIET.mostMs ? looks + 1 : 0
    before = now
  }
  return Math.round((performance.now() - begun) / 1000)
}

function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Resident memory; its private share; of that, the part that does not map the program's files or the database. */
function memory(pid: number): Record<string, number> {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')
  const mb = (name: string) => Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024)
  return { rss_mb: mb('Rss'), pss_mb: mb('Pss'), anonymous_mb: mb('Anonymous') }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(JSON.stringify(await benchIdle(), null, 2))
}
