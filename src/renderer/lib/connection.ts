/** Whether the app answers this window; `left`: a demo that has ended, which nothing brings back. */
export type Connection = { readonly status: 'online' | 'left' } | { readonly status: 'lost'; readonly since: number }

const listeners = new Set<() => void>()
let connection: Connection = { status: 'online' }

export const currentConnection = (): Connection => connection

/** Calls `listener` when the connection is lost or back. Returns a function that unsubscribes. */
export function subscribeConnection(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The app has answered a call. */
export function noteAnswer(): void {
  if (connection.status === 'lost') change({ status: 'online' })
}

/** The demo ends: its data is not shown on. */
export const noteLeft = (): void => change({ status: 'left' })

/** A call got no answer. */
export function noteUnreachable(): void {
  if (connection.status === 'online') change({ status: 'lost', since: Date.now() })
}

function change(next: Connection): void {
  connection = next
  for (const listener of listeners) listener()
}

/** Resolves when the app answers again, immediately if it already does. */
export function untilOnline(): Promise<void> {
  return new Promise((resolve) => {
    if (connection.status === 'online') return resolve()
    const stop = subscribeConnection(() => {
      if (connection.status === 'lost') return
      stop()
      resolve()
    })
  })
}
