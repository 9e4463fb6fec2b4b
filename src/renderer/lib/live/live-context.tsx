import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import type { LiveSnapshot, LiveStore } from './live-store.ts'

const LiveStoreContext = createContext<LiveStore | null>(null)

export const LiveStoreProvider = LiveStoreContext.Provider

/** Returns the window's live store. */
export function useLiveStore(): LiveStore {
  const store = useContext(LiveStoreContext)
  if (!store) throw new Error('LiveStoreProvider is missing')
  return store
}

/** Returns the current snapshot and renders once per batch. */
export function useLiveSnapshot(): LiveSnapshot {
  const store = useLiveStore()
  return useSyncExternalStore(store.subscribe, store.getSnapshot)
}

/** Returns the current time, updated at an interval, for ages and rates on screen. */
export function useNow(intervalMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs])
  return now
}
