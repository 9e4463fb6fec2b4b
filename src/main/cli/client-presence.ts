import type { RunningApp } from '../base/running-app.ts'
import { askKeeper, type KeeperStatus } from '../keeper/control.ts'
import { overHttp } from './client.ts'
import { sayAside } from './wrap.ts'

/** Runs a client and keeps a connection to the app open meanwhile, so that the app does not exit as idle. */
export async function whilePresent<T>(app: RunningApp, dataDir: string, runClient: () => Promise<T>): Promise<T> {
  const presence = new AbortController()
  void stayPresent(app, dataDir, presence.signal)
  try {
    return await sayingWhatPassed(dataDir, runClient)
  } finally {
    presence.abort()
  }
}

/** Runs a client, and says afterwards what has passed unrecorded meanwhile: its terminal is its own until it has ended. */
export async function sayingWhatPassed<T>(dataDir: string, runClient: () => Promise<T>): Promise<T> {
  const before = await unrecorded(dataDir)
  try {
    return await runClient()
  } finally {
    const after = await unrecorded(dataDir)
    const missed = [
      ...counted(after.requests - before.requests, 'request'),
      ...counted(after.tunnels - before.tunnels, 'connection in full mode', 'connections in full mode'),
    ].join(' and ')
    const said = after.trouble === 'no_store' ? 'nothing is recorded' : missed && `${missed} passed unrecorded`
    const isKnown = said !== '' && after.trouble !== null && (await isTold(dataDir))
    if (said !== '' && !isKnown) sayAside(`aspy: ${said}, because ${WHY[after.trouble ?? 'down']}; see aspy status`)
  }
}

const WHY = {
  down: 'the app was down',
  no_start: 'the app does not start',
  no_store: 'the data folder cannot be written',
} as const

const counted = (count: number, one: string, many = `${one}s`): string[] =>
  count <= 0 ? [] : [count === 1 ? `one ${one}` : `${count} ${many}`]

interface Unrecorded {
  readonly requests: number
  readonly tunnels: number
  readonly trouble: KeeperStatus['trouble']
}

/** Returns how many requests and tunnels have passed the app of a folder unrecorded. */
async function unrecorded(dataDir: string): Promise<Unrecorded> {
  const { passed, trouble = null } = (await askKeeper(dataDir, 'status')) ?? {}
  const { requests = {}, tunnels = 0 } = passed ?? {}
  return { requests: Object.values(requests).reduce((sum, count) => sum + count, 0), tunnels, trouble }
}

/** Returns whether the person knows of trouble that lasts, by a notice or from another run. */
async function isTold(dataDir: string): Promise<boolean> {
  return (await askKeeper(dataDir, 'tell'))?.isTold === true
}

async function stayPresent(app: RunningApp, dataDir: string, signal: AbortSignal): Promise<void> {
  try {
    const feed = overHttp(app, dataDir).stream('live.subscribe', { session_id: 'none' }, signal)
    for await (const _ of feed) continue
  } catch {
    // The app or this command has stopped, so there is no connection left to keep.
  }
}
