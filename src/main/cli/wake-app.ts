import { findRunningApp, type RunningApp } from '../base/running-app.ts'
import { askKeeper, type KeeperStatus } from '../keeper/control.ts'

/** In the place of an app's id: only its keeper serves the ports. */
export const AWAY = 'away'

/** Finds the app that serves a folder; null if none answers: its keeper does so on the port of one that hangs. */
export async function findApp(dataDir: string): Promise<RunningApp | null> {
  try {
    return await findRunningApp(dataDir)
  } catch (error) {
    if ((await askKeeper(dataDir, 'status')) === null) throw error
    return null
  }
}

/**
 * Finds the app that serves a folder. Where only its keeper runs, has it start the app and waits for it; if that fails, returns
 * the keeper's ports: clients go on through them, unrecorded. null if there is neither.
 */
export async function findOrWakeApp(dataDir: string): Promise<RunningApp | null> {
  const running = await findApp(dataDir)
  if (running !== null) return running
  const keeper = await askKeeper(dataDir, 'start')
  return keeper === null ? null : ((await findApp(dataDir)) ?? keeperAsApp(keeper))
}

function keeperAsApp({ pid, ports: { proxy, app, tunnel } }: KeeperStatus): RunningApp | null {
  if (proxy === undefined || app === undefined || tunnel === undefined) return null
  return {
    pid,
    id: AWAY,
    ports: { proxy, app, tunnel },
    appUrl: `http://127.0.0.1:${app}`,
    proxyUrl: `http://127.0.0.1:${proxy}`,
  }
}
