import { setTimeout as pause } from 'node:timers/promises'
import { AspyError } from '../../shared/contract/errors.ts'
import { findRunningApp } from '../base/running-app.ts'
import { findRunningNote } from '../base/running-note.ts'
import { connect, overHttp, type Client } from './client.ts'
import { serveHere, type Served } from './serving.ts'
import type { RunSettings } from './settings-of-run.ts'
import { untilStopped } from './until-stopped.ts'
import { sayAside, terminalWidth } from './wrap.ts'

/** Time in ms that a recorder has to start; it may have to migrate its database first. */
const RECORDER_MS = 60_000

/**
 * Runs a command that writes: through the running app, or through an app started for this command only. SIGINT and
 * SIGTERM stop it in order.
 */
export async function withApp(settings: RunSettings, work: (client: Client) => Promise<void>): Promise<void> {
  const isWhole = await untilStopped((stop) =>
    withClient(settings, async (client) => {
      await waitForRecorder(client)
      await work({ ...client, stream: (name, input, signal = stop) => client.stream(name, input, signal) })
    }),
  )
  if (!isWhole) sayAside('Stopped before it was complete; run it again.')
}

/** Calls `work` with a client of the running app, or of one that runs for this command only. */
export async function withClient(settings: RunSettings, work: (client: Client) => Promise<void>): Promise<void> {
  const running = await findRunningApp(settings.dataDir)
  const own = running === null ? await serveForCommand(settings) : null
  try {
    await work(await (own === null ? connect(settings) : connectToOwn(settings)))
  } finally {
    own?.end()
    await own?.ended
  }
}

/** Connects to an app that this command started. On a busy machine it may need more time than one proof has. */
async function connectToOwn(settings: RunSettings): Promise<Client> {
  const { dataDir } = settings
  // An app that could not write its note cannot be found.
  if (findRunningNote(dataDir) === null)
    throw new AspyError(
      'store_unavailable',
      `Aspy cannot write to ${dataDir}: make that folder writable, or choose another one with --data`,
    )
  let app = await findRunningApp(dataDir)
  for (const started = performance.now(); app === null && performance.now() - started < RECORDER_MS; await pause(50))
    app = await findRunningApp(dataDir)
  return app === null ? await connect(settings) : overHttp(app, dataDir)
}

/** Waits for the recorder: on a busy machine the app answers before its recorder is ready. */
async function waitForRecorder(client: Client): Promise<void> {
  for (const started = performance.now(); performance.now() - started < RECORDER_MS; await pause(50)) {
    if ((await client.call('health.get', {})).recorder !== 'restarting') return
  }
}

/** Starts an app for one command. It uses free ports: it must not take those that clients know. */
function serveForCommand({ loaded, ...rest }: RunSettings): Promise<Served> {
  const { config } = loaded
  const free = { ...config, app: { ...config.app, port: 0 }, proxy: { ...config.proxy, port: 0, tunnel_port: 0 } }
  return serveHere({ ...rest, loaded: { ...loaded, config: free } }, { isForCommand: true })
}

/**
 * Shows the progress of an operation with `line`, and returns its last report. Throws `internal` if the operation stops
 * before it is complete.
 */
export async function followed<Progress extends { readonly done: boolean }>(
  what: string,
  reports: AsyncIterable<Progress>,
  line: ((progress: Progress) => string) | null,
): Promise<Progress> {
  let last: Progress | null = null
  for await (const progress of reports) {
    last = progress
    if (line !== null) showProgress(line(progress))
  }
  if (line !== null) showProgress(null)
  if (last === null || !last.done)
    throw new AspyError('internal', `${what} stopped before it was complete; run it again`)
  return last
}

/** Shows progress on one line of the terminal; null clears it. Prints nothing if stderr is not a terminal. */
export function showProgress(line: string | null): void {
  // A line that reached the edge would be followed by another, instead of replaced.
  const shown = line?.slice(0, terminalWidth(process.stderr) - 1) ?? ''
  if (process.stderr.isTTY) process.stderr.write(`\r${shown}\u001b[K`)
}
