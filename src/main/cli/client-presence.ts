import type { RunningApp } from '../base/running-app.ts'
import { askKeeper } from '../keeper/control.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { overText } from '../../shared/guard-action-text.ts'
import { overHttp, type Client } from './client.ts'
import { followLastingly } from './lasting-app.ts'
import { when } from './when.ts'
import { sayAside } from './wrap.ts'

/**
 * Runs a client and keeps a connection to the app open meanwhile, so that the app does not exit as idle. `words`: what the
 * client gets: if it only prints, this says that a request of it waits for a decision, which nothing else shows then.
 */
export async function whilePresent<T>(
  app: RunningApp,
  dataDir: string,
  runClient: () => Promise<T>,
  words: readonly string[],
): Promise<T> {
  const presence = new AbortController()
  const open = (current: RunningApp) =>
    overHttp(current, dataDir).stream('live.subscribe', { session_id: 'none' }, presence.signal)
  void followLastingly(dataDir, open(app), open, presence.signal)
  if (!process.stdout.isTTY || words.some((word) => PRINTING.has(word)))
    void sayHeld(overHttp(app, dataDir), presence.signal)
  try {
    return await sayingWhatPassed(dataDir, runClient)
  } finally {
    presence.abort()
  }
}

/** Words with which a client draws nothing on the terminal. */
const PRINTING: ReadonlySet<string> = new Set(['-p', '--print', 'exec'])
/** How often it is looked whether a request waits, in ms. */
const LOOK_MS = 1000

/** Says once that a request of this folder waits for a decision, and how to decide. */
export async function sayHeld(client: Pick<Client, 'call'>, signal: AbortSignal, lookMs = LOOK_MS): Promise<void> {
  const since = Date.now()
  try {
    for (;;) {
      await pause(lookMs, undefined, { signal, ref: false })
      const { enabled, held } = await client.call('guard.get', {})
      if (!enabled) return
      const own = held.find(
        ({ held_since, project }) => Date.parse(held_since) >= since && (project === null || project === process.cwd()),
      )
      if (own === undefined) continue
      const whose = own.over.project === undefined ? '' : ` of ${own.over.project}`
      sayAside(
        `aspy: a request waits, because it ${overText(own.over.cap, own.over.limit)}${whose}, until ${when(own.refused_at)}; forward it with aspy guard once (or raise, or stop)`,
      )
      return
    }
  } catch {
    // The client, the app or this command has ended: nothing waits.
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

/** Returns how many requests and tunnels have passed the app of a folder unrecorded. */
async function unrecorded(dataDir: string) {
  const { passed, trouble = null } = (await askKeeper(dataDir, 'status')) ?? {}
  const { requests = {}, tunnels = 0 } = passed ?? {}
  return { requests: Object.values(requests).reduce((sum, count) => sum + count, 0), tunnels, trouble }
}

/** Returns whether the person knows of trouble that lasts, by a notice or from another run. */
async function isTold(dataDir: string): Promise<boolean> {
  return (await askKeeper(dataDir, 'tell'))?.isTold === true
}
