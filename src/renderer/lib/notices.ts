/** Short messages that say what was just done; the newest stands for a few seconds. */
export interface Notice {
  readonly id: number
  readonly text: string
  readonly tone: 'good' | 'warn'
}

let current: Notice | null = null
let lastId = 0
const listeners = new Set<() => void>()

/** Shows a message. */
export function say(text: string, tone: Notice['tone'] = 'good'): void {
  lastId += 1
  show({ id: lastId, text, tone })
}

/** Takes a message away, unless a newer one has taken its place. */
export function dismiss(id: number): void {
  if (current?.id === id) show(null)
}

function show(notice: Notice | null): void {
  current = notice
  for (const listener of listeners) listener()
}

export function currentNotice(): Notice | null {
  return current
}

export function subscribeNotices(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
