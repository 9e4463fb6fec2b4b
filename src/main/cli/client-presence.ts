import type { RunningApp } from '../base/running-app.ts'
import { overHttp } from './client.ts'

/** Runs a client and keeps a connection to the app open meanwhile, so that the app does not exit as idle. */
export async function whilePresent<T>(app: RunningApp, dataDir: string, runClient: () => Promise<T>): Promise<T> {
  const presence = new AbortController()
  void stayPresent(app, dataDir, presence.signal)
  try {
    return await runClient()
  } finally {
    presence.abort()
  }
}

async function stayPresent(app: RunningApp, dataDir: string, signal: AbortSignal): Promise<void> {
  try {
    const feed = overHttp(app, dataDir).stream('live.subscribe', { session_id: 'none' }, signal)
    for await (const _ of feed) continue
  } catch {
    // The app or this command has stopped, so there is no connection left to keep.
  }
}
