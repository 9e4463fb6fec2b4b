import { setTimeout as pause } from 'node:timers/promises'
import { findRunningApp } from '../base/data-folder.ts'
import { connect } from './client.ts'
import type { Client } from './client.ts'
import { serveHere } from './serving.ts'
import type { RunSettings } from './settings-of-run.ts'

/** How long a recorder may take to begin, in ms: a database may have to be brought up to date first. */
const RECORDER_MS = 60_000

/** For commands that write: through the running app, else through one that lives as long as the command. */
export async function withApp(settings: RunSettings, work: (client: Client) => Promise<void>): Promise<void> {
  const running = await findRunningApp(settings.dataDir)
  const own = running === null ? await serveHere(withFreePorts(settings)) : null
  try {
    const client = await connect(settings)
    await recorderThere(client)
    await work(client)
  } finally {
    own?.end()
    await own?.ended
  }
}

/** An app is up before its recorder on a machine that is busy: what is to be written then waits. */
async function recorderThere(client: Client): Promise<void> {
  for (const started = performance.now(); performance.now() - started < RECORDER_MS; await pause(50)) {
    if ((await client.call('health.get', {})).recorder !== 'restarting') return
  }
}

/** An app of one command alone must not take the ports that clients know. */
function withFreePorts({ loaded, ...rest }: RunSettings): RunSettings {
  const { config } = loaded
  const free = { ...config, app: { ...config.app, port: 0 }, proxy: { ...config.proxy, port: 0 } }
  return { ...rest, loaded: { ...loaded, config: free } }
}

/** Shows where work stands on one line of the terminal; nothing where no person looks. */
export function tellProgress(line: string | null): void {
  if (process.stderr.isTTY) process.stderr.write(line === null ? '\r\u001b[K' : `\r${line}\u001b[K`)
}
