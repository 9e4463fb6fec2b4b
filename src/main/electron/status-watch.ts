import { setTimeout as pause } from 'node:timers/promises'
import type { BudgetStatus } from '../../shared/contract/budgets.ts'
import type { HeldRequest } from '../../shared/contract/guard.ts'
import type { ServiceNews } from '../../shared/contract/live.ts'
import type { Health } from '../../shared/contract/health.ts'
import type { OperationInput, OperationName, OperationOutput } from '../../shared/contract/index.ts'
import type { EventSummary } from '../../shared/live-feed.ts'
import { callOperation } from '../dispatch/call-operation.ts'
import type { Dispatch } from '../dispatch/dispatch.ts'
import { createActiveSessions, type ActiveSessions } from './active-sessions.ts'
import { DEFAULT_SETTINGS, desktopSettings, type DesktopSettings } from './desktop-settings.ts'

/** The state that the tray and notifications show. */
export interface DesktopStatus {
  /** `gone` means that the app behind the window does not respond. */
  readonly capture: 'starting' | 'capturing' | 'failing' | 'off' | 'gone'
  /** The current problem, for display; null if there is none. */
  readonly trouble: string | null
  readonly sessions: number
  /** Sessions whose clients use the proxy. */
  readonly clients: number
  readonly costTodayUsd: number | null
  /** Requests that wait for a decision. */
  readonly held: readonly HeldRequest[]
  /** Requests and tunnels that an app waits for before it ends. */
  readonly waits: number
}

export const STARTING: DesktopStatus = {
  capture: 'starting',
  trouble: null,
  sessions: 0,
  clients: 0,
  costTodayUsd: null,
  held: [],
  waits: 0,
}

export interface StatusWatchOptions {
  readonly dispatch: Dispatch
  /** Returns how many requests and tunnels an app waits for that ends. */
  readonly waits: () => Promise<number>
  readonly onStatus: (status: DesktopStatus) => void
  /** null if the app did not answer. */
  readonly onHealth: (health: Health | null) => void
  readonly onEvents: (events: readonly EventSummary[]) => void
  /** Budgets that have just reached a mark. */
  readonly onBudgets: (reached: readonly BudgetStatus[]) => void
  /** News about limits and how requests are served. */
  readonly onNews: (news: readonly ServiceNews[]) => void
  /** All waiting requests, whenever their list changes. */
  readonly onHeld: (held: readonly HeldRequest[]) => void
  readonly onSettings: (settings: DesktopSettings) => void
}

export type StatusWatch = ReturnType<typeof watchStatus>

/** Polling intervals in ms: while idle, and at most this often while events arrive. */
const IDLE_MS = 30_000
const BUSY_MS = 2000
const RETRY_MS = 1000
/** Maximum wait in ms for the sessions that the feed has not reported. */
const CATCH_UP_MS = 1000
/** Number of past events read at start and before a question, to find the sessions that are already active. */
const LOOK_BACK = 500

/** Follows the app's status, whichever process it runs in. Costs almost nothing while the app is idle. */
export function watchStatus(options: StatusWatchOptions) {
  const { dispatch, onStatus, onHealth, onEvents, onBudgets, onNews, onHeld, onSettings } = options
  const decoder = new TextDecoder()
  const ending = new AbortController()
  const { signal } = ending
  const sessions = createActiveSessions()
  let status = STARTING
  let settings = DEFAULT_SETTINGS
  let soon: NodeJS.Timeout | null = null

  function ask<Name extends OperationName>(name: Name, input: OperationInput<Name>) {
    return callOperation(dispatch, name, input, { access: 'all' })
  }

  /** Updates the status now, for example after the computer wakes. */
  async function refresh(): Promise<void> {
    const [health, config, waits] = await Promise.all([
      orNull(ask('health.get', {})),
      orNull(ask('config.get', {})),
      options.waits(),
    ])
    if (signal.aborted) return
    if (config !== null) {
      settings = desktopSettings(config)
      onSettings(settings)
    }
    status = { ...statusOf(health), ...figures(health), held: status.held, waits }
    onStatus(status)
    onHealth(health)
  }

  function figures(health: Health | null) {
    const { sessions: active, clients } = sessions.count(Date.now())
    return { sessions: active, clients, costTodayUsd: health?.cost_today_usd ?? null }
  }

  function hold(held: readonly HeldRequest[]): void {
    if (held.length === 0 && status.held.length === 0) return
    status = { ...status, held }
    onStatus(status)
    onHeld(held)
  }

  function refreshSoon(): void {
    soon ??= setTimeout(() => {
      soon = null
      void refresh()
    }, BUSY_MS)
  }

  async function follow(): Promise<void> {
    let last = await lookBack(dispatch, sessions)
    refreshSoon()
    const input = { last_event_id: last }
    for await (const { json } of dispatch.stream('live.subscribe', input, { access: 'all' }, signal)) {
      const {
        events,
        budgets = [],
        news = [],
        held,
      } = JSON.parse(decoder.decode(json)) as OperationOutput<'live.subscribe'>
      if (budgets.length > 0) onBudgets(budgets)
      if (news.length > 0) onNews(news)
      if (held !== undefined) hold(held)
      if (events.length === 0) continue
      last = events.at(-1)?.id ?? last
      sessions.add(events)
      onEvents(events)
      refreshSoon()
    }
  }

  async function followForever(): Promise<void> {
    while (!signal.aborted) {
      // Fails without a database, or while another app takes over. Retry.
      await follow().catch(() => undefined)
      // The first batch of the next feed reports the waiting requests.
      if (!signal.aborted) hold([])
      await pause(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  const idle = setInterval(() => void refresh(), IDLE_MS)
  idle.unref()
  void refresh()
  void followForever()
  return {
    status: () => ({ ...status, ...sessions.count(Date.now()) }),
    settings: () => settings,
    refresh,
    /** Counts sessions that the live feed has not reported yet. Ends after a second if the app does not answer. */
    catchUp: () => atMost(CATCH_UP_MS, lookBack(dispatch, sessions)),
    stop() {
      ending.abort()
      clearInterval(idle)
      if (soon !== null) clearTimeout(soon)
    },
  }
}

/** Adds the sessions of the last events; returns the id of the newest. */
async function lookBack(dispatch: Dispatch, sessions: ActiveSessions): Promise<number> {
  const access = { access: 'all' } as const
  const { items } = await callOperation(dispatch, 'events.recent', { limit: 1 }, access)
  const newest = items[0]?.id ?? 0
  const range = { after: Math.max(0, newest - LOOK_BACK), limit: LOOK_BACK }
  const past = await callOperation(dispatch, 'live.since', range, access)
  sessions.add(past.events)
  return past.events.at(-1)?.id ?? newest
}

/** Waits until work ends or fails, and no longer than this. */
async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([orNull(work), late])
  clearTimeout(timer)
}

function statusOf(health: Health | null): Pick<DesktopStatus, 'capture' | 'trouble'> {
  if (health === null) return { capture: 'gone', trouble: 'Aspy is not responding' }
  const trouble = health.warnings[0]?.message ?? null
  if (health.recorder === 'off') return { capture: 'off', trouble: null }
  if (health.status === 'ok')
    return { capture: health.recorder === 'running' ? 'capturing' : 'starting', trouble: null }
  return { capture: 'failing', trouble }
}

async function orNull<Value>(call: Promise<Value>): Promise<Value | null> {
  try {
    return await call
  } catch {
    // null is shown as "not responding".
    return null
  }
}
