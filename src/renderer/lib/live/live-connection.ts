import type { BudgetStanding } from '../../../shared/contract/budgets.ts'
import { call, subscribe } from '../client.ts'
import type { LiveFeed } from './live-store.ts'

const BACKLOG_EVENTS = 300
const RETRY_MS = [500, 1000, 2000, 4000, 8000] as const

/** Log id to begin from, so that the view opens with the newest events on screen; null: from now on. */
async function backlogStart(): Promise<number | null> {
  const recent = await call('events.recent', { limit: BACKLOG_EVENTS })
  return recent.items.length === 0 ? null : Math.max(0, Math.min(...recent.items.map((event) => event.id)) - 1)
}

/**
 * Fills the feed from the server and comes back after each loss, from where it stood; `onBudgets` is told when some
 * reach a mark. Returns what ends it.
 */
export function connectLiveFeed(
  feed: LiveFeed,
  onBudgets: (reached: readonly BudgetStanding[]) => void = () => undefined,
): () => void {
  let stopped = false
  let unsubscribe = () => {}
  let timer: ReturnType<typeof setTimeout> | undefined
  let losses = 0

  const open = (from: number | null) => {
    if (stopped) return
    unsubscribe = subscribe(
      'live.subscribe',
      { turns: true, ...(from === null ? {} : { last_event_id: from }) },
      (batch) => {
        losses = 0
        feed.accept(batch, Date.now())
        if (batch.budgets !== undefined) onBudgets(batch.budgets)
      },
      (error) => {
        feed.setStatus('lost', error)
        timer = setTimeout(() => open(feed.lastEventId()), RETRY_MS[Math.min(losses, RETRY_MS.length - 1)])
        losses += 1
      },
    )
    feed.setStatus('open')
  }
  backlogStart().then(
    (from) => open(from),
    // Without its history the feed still shows what comes from now on.
    () => open(null),
  )
  return () => {
    stopped = true
    clearTimeout(timer)
    unsubscribe()
  }
}
