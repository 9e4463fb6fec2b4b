import type { BudgetStatus } from '../../../shared/contract/budgets.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { ServiceNews } from '../../../shared/contract/live.ts'
import { call, subscribe } from '../client.ts'
import { currentConnection, subscribeConnection } from '../connection.ts'
import type { LiveStore } from './live-store.ts'

const BACKLOG_EVENTS = 300
const RETRY_MS = [500, 1000, 2000, 4000, 8000] as const

/**
 * Feeds the store from the server and reconnects after each loss, from the last event received. Calls `onBudgets` when
 * budgets reach a mark, `onNews` with news about limits and how requests are served, and `onCorrected` with the
 * sessions whose prompts a later source corrected. Returns a function that disconnects.
 */
export function connectLiveStore(
  store: LiveStore,
  onBudgets: (reached: readonly BudgetStatus[]) => void = () => undefined,
  onCorrected: (sessions: ReadonlySet<string>) => void = () => undefined,
  onNews: (news: readonly ServiceNews[]) => void = () => undefined,
): () => void {
  let stopped = false
  let unsubscribe = () => {}
  let timer: ReturnType<typeof setTimeout> | undefined
  let losses = 0
  /** Time of the oldest event that is shown at first: older ones may have been recorded after it. */
  let since = ''

  const open = (from: number | null) => {
    if (stopped) return
    unsubscribe = subscribe(
      'live.subscribe',
      { turns: true, ...(from === null ? {} : { last_event_id: from }) },
      (batch) => {
        losses = 0
        store.accept({ ...batch, events: batch.events.filter((event) => event.ts_wall >= since) }, Date.now())
        if (batch.budgets !== undefined) onBudgets(batch.budgets)
        if (batch.news !== undefined) onNews(batch.news)
        if (batch.corrected !== undefined) onCorrected(new Set(batch.corrected.map(({ session_id }) => session_id)))
      },
      retry,
    )
    store.setStatus('open')
  }

  const retry = (error: Error | null) => {
    if (stopped) return
    store.setStatus('lost', error)
    timer = setTimeout(resume, RETRY_MS[Math.min(losses, RETRY_MS.length - 1)])
    losses += 1
  }

  /** Continues after the newest event; before the first one, starts with the backlog like a new window. */
  const resume = () => {
    timer = undefined
    if (currentConnection().status === 'lost') return
    const last = store.lastEventId()
    if (last !== null) return open(last)
    const start = async () => {
      const { items: recent } = await call('events.recent', { limit: BACKLOG_EVENTS })
      since = recent.at(-1)?.ts_wall ?? ''
      open(recent.length === 0 ? null : Math.max(0, Math.min(...recent.map((event) => event.id)) - 1))
    }
    start().catch((error: unknown) => {
      // Without the backlog, the feed still shows new events, if the app answers at all.
      if (isUnreachable(error)) retry(error)
      else open(null)
    })
  }

  // The app is back, and no attempt is pending or running.
  const unfollow = subscribeConnection(() => {
    if (currentConnection().status === 'lost' || store.getSnapshot().status !== 'lost') return
    clearTimeout(timer)
    resume()
  })
  resume()
  return () => {
    stopped = true
    clearTimeout(timer)
    unfollow()
    unsubscribe()
  }
}

const isUnreachable = (error: unknown): error is AspyError => error instanceof AspyError && error.code === 'unreachable'
