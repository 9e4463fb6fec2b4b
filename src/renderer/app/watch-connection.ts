import { onlineManager, type QueryClient } from '@tanstack/react-query'
import { isServerThere } from '../lib/client.ts'
import { currentConnection, noteAnswer, subscribeConnection } from '../lib/connection.ts'
import { notify } from '../lib/notices.ts'

const PROBE_MS = 1500

/**
 * While the connection is lost, holds queries back, so that every view keeps its data, and checks periodically whether
 * the app is back. Then everything on screen is loaded again. Returns a function that stops watching.
 */
export function watchConnection(queries: QueryClient): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let wasLost = false
  // The app is on this machine: whether the browser has a network does not matter.
  onlineManager.setEventListener(() => undefined)

  async function probe(): Promise<void> {
    if (await isServerThere()) noteAnswer()
    else timer = setTimeout(() => void probe(), PROBE_MS)
  }

  function follow(): void {
    clearTimeout(timer)
    const isLost = currentConnection().status === 'lost'
    onlineManager.setOnline(!isLost)
    if (isLost) timer = setTimeout(() => void probe(), PROBE_MS)
    else if (wasLost) {
      notify('Reconnected')
      void queries.invalidateQueries()
    }
    wasLost = isLost
  }

  const stop = subscribeConnection(follow)
  return () => {
    clearTimeout(timer)
    stop()
  }
}
