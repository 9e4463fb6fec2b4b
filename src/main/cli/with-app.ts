import { findRunningApp } from '../data-folder.ts'
import { connect } from './client.ts'
import type { Client } from './client.ts'
import { serveHere } from './serving.ts'
import type { RunSettings } from './settings-of-run.ts'

/** For commands that write: through the running app, else through one that lives as long as the command. */
export async function withApp(settings: RunSettings, work: (client: Client) => Promise<void>): Promise<void> {
  const running = await findRunningApp(settings.dataDir)
  const own = running === null ? await serveHere(withFreePorts(settings)) : null
  try {
    await work(await connect(settings))
  } finally {
    own?.end()
    await own?.ended
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
