import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import type { LiveFeed, LiveSnapshot } from './live-store.ts'

const LiveFeedContext = createContext<LiveFeed | null>(null)

export const LiveFeedProvider = LiveFeedContext.Provider

/** The one live feed of this window. */
export function useLiveFeed(): LiveFeed {
  const feed = useContext(LiveFeedContext)
  if (!feed) throw new Error('LiveFeedProvider is missing')
  return feed
}

/** The feed as it stands; renders once for each batch. */
export function useLiveSnapshot(): LiveSnapshot {
  const feed = useLiveFeed()
  return useSyncExternalStore(feed.subscribe, feed.getSnapshot)
}

/** The time, renewed at an interval: for ages and rates on screen. */
export function useNow(intervalMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs])
  return now
}
