import { findRunningApp, type RunningApp } from '../base/running-app.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { isProcessAlive } from '../base/is-process-alive.ts'
import { askKeeper, servesAnother, type KeeperStatus } from '../keeper/control.ts'

/** How often a command looks whether what it ends has ended, in ms. */
export const LOOK_MS = 100
/** How often it does so before it has a keeper cut what it passes on. */
const ORDERLY_LOOKS = 10

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

/** Ends a keeper, and cuts what it still passes on after a while. */
export async function endKeeper({ pid }: KeeperStatus): Promise<void> {
  process.kill(pid, 'SIGTERM')
  for (let looks = 1; isProcessAlive(pid); looks += 1) {
    await pause(LOOK_MS)
    // The second one cuts.
    if (looks === ORDERLY_LOOKS && isProcessAlive(pid)) process.kill(pid, 'SIGTERM')
  }
}

/**
 * Finds the app that serves a folder. Where only its keeper runs, has it start the app and waits for it; if that fails, returns
 * the keeper's ports: clients go on through them, unrecorded. null if there is neither. Ends a keeper that would start an app for the
 * place where the folder was before.
 */
export async function findOrWakeApp(dataDir: string): Promise<RunningApp | null> {
  const running = await findApp(dataDir)
  if (running !== null) return running
  const before = await askKeeper(dataDir, 'status')
  if (before !== null && servesAnother(before, dataDir)) {
    await endKeeper(before)
    return null
  }
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
