import { findRunningApp, type RunningApp } from '../base/running-app.ts'
import { AspyError } from '../../shared/contract/errors.ts'
import { typedHere } from '../base/folder-of-run.ts'
import { askKeeper, servesAnother, silenceOf, type KeeperStatus } from '../keeper/control.ts'

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
 * the keeper's ports: clients go on through them, unrecorded. null if there is neither, or a keeper that `refuseMoved` names.
 */
export async function findOrWakeApp(dataDir: string): Promise<RunningApp | null> {
  const running = await findApp(dataDir)
  if (running !== null) return running
  const before = await askKeeper(dataDir, 'status')
  if (before === null || servesAnother(before, dataDir)) return null
  const keeper = await askKeeper(dataDir, 'start')
  return keeper === null ? null : ((await findApp(dataDir)) ?? keeperAsApp(keeper))
}

/**
 * Throws `conflict` if the keeper of a folder does not answer, or would start an app for the place where the folder was
 * before. It is not ended for that: clients of before use it.
 */
export async function refuseMoved(dataDir: string): Promise<void> {
  const silence = await silenceOf(dataDir)
  if (silence !== null) throw new AspyError('conflict', silence)
  const keeper = await askKeeper(dataDir, 'status')
  if (keeper === null || !servesAnother(keeper, dataDir)) return
  throw new AspyError(
    'conflict',
    `${dataDir} was moved while Aspy ran, which starts again in ${keeper.dataDir}; once no client runs, run ${typedHere('aspy stop --now', dataDir)}, then ${typedHere('aspy', dataDir)}, to record there`,
  )
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
