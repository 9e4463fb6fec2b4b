import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isProcessAlive } from '../../../src/main/base/is-process-alive.ts'
import { findRunningNote } from '../../../src/main/base/running-note.ts'
import { askKeeper } from '../../../src/main/keeper/control.ts'
import { ASPY_ENTRY, startAspy } from '../app/aspy-command.ts'
import { until } from '../runner/until.ts'

/** `aspy serve` as a keeper and its app. */
export interface KeptApp extends AsyncDisposable {
  readonly proxy: string
  readonly app: string
  readonly tunnel: string
  readonly token: string
  readonly data: string
  readonly keeperPid: number
  /** The app that the note names; it may have ended. */
  appPid(): number
  /** Sends a signal to the app and returns its process id. */
  signal(signal: NodeJS.Signals): number
  /** Resolves once another app than this one serves. */
  nextApp(before: number): Promise<number>
  /** What the keeper and its apps have written to stderr, once all have ended. */
  readonly finished: ReturnType<typeof startAspy>['finished']
}

/** Starts `aspy serve` on free ports. */
export function startKept(dataDir: string, upstream: string, ...flags: string[]): Promise<KeptApp> {
  return startKeptFrom(ASPY_ENTRY, dataDir, upstream, ...flags)
}

/** The same, from a command line at another place. */
export async function startKeptFrom(
  entry: string,
  dataDir: string,
  upstream: string,
  ...flags: string[]
): Promise<KeptApp> {
  const ports = ['--port', '0', '--proxy-port', '0', '--tunnel-port', '0']
  const args = ['serve', '--json', ...ports, '--upstream', upstream, '--data', dataDir, ...flags]
  const started = startAspy(args, {}, undefined, undefined, entry)
  const ready = JSON.parse(await started.firstLine) as Pick<KeptApp, 'proxy' | 'app' | 'tunnel' | 'token' | 'data'>
  const keeperPid = started.child.pid ?? 0
  const appPid = () => (JSON.parse(readFileSync(join(dataDir, 'app.json'), 'utf8')) as { readonly pid: number }).pid
  return {
    ...ready,
    keeperPid,
    appPid,
    signal(signal) {
      const pid = appPid()
      process.kill(pid, signal)
      return pid
    },
    async nextApp(before) {
      await until('another app serves', async () => {
        if (findRunningNote(dataDir) === null || appPid() === before) return false
        return !isProcessAlive(keeperPid) || (await askKeeper(dataDir, 'status'))?.state === 'running'
      })
      return appPid()
    },
    finished: started.finished,
    async [Symbol.asyncDispose]() {
      // At once, with its apps: how they end in order has tests of its own.
      started.signal('SIGKILL')
      await started.finished
    },
  }
}
