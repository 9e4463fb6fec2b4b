import type { RunningApp } from '../base/running-app.ts'
import { askKeeper } from '../keeper/control.ts'
import { overHttp } from './client.ts'

/** Runs a client and keeps a connection to the app open meanwhile, so that the app does not exit as idle. */
export async function whilePresent<T>(app: RunningApp, dataDir: string, runClient: () => Promise<T>): Promise<T> {
  const presence = new AbortController()
  void stayPresent(app, dataDir, presence.signal)
  const before = await unrecorded(dataDir)
  try {
    return await runClient()
  } finally {
    presence.abort()
    // The client's terminal is its own until it has ended.
    const missed = (await unrecorded(dataDir)) - before
    if (missed > 0)
      console.error(`aspy: ${missed} requests passed unrecorded, because the app was down; see aspy status`)
  }
}

/** Returns how many requests and tunnels have passed the app of a folder unrecorded. */
async function unrecorded(dataDir: string): Promise<number> {
  const { passed } = (await askKeeper(dataDir, 'status')) ?? {}
  return Object.values(passed?.requests ?? {}).reduce((sum, count) => sum + count, passed?.tunnels ?? 0)
}

async function stayPresent(app: RunningApp, dataDir: string, signal: AbortSignal): Promise<void> {
  try {
    const feed = overHttp(app, dataDir).stream('live.subscribe', { session_id: 'none' }, signal)
    for await (const _ of feed) continue
  } catch {
    // The app or this command has stopped, so there is no connection left to keep.
  }
}
