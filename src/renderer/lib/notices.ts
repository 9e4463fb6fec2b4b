import { errorMessage } from '../../shared/error-text.ts'

/** A short message about something that just happened. Only the newest is shown, for a few seconds. */
export interface Notice {
  readonly id: number
  readonly text: string
  readonly tone: 'good' | 'warn'
  /** Reverts what happened. */
  readonly undo?: (() => void) | undefined
}

let current: Notice | null = null
let lastId = 0
const listeners = new Set<() => void>()

/** Shows a notice, with an undo button if `undo` is given. */
export function notify(text: string, tone: Notice['tone'] = 'good', undo?: () => void): void {
  lastId += 1
  show({ id: lastId, text, tone, undo })
}

/** Shows why something failed. */
export function notifyFailure(error: unknown): void {
  notify(errorMessage(error), 'warn')
}

/** Hides a notice unless a newer one has replaced it. */
export function dismiss(id: number): void {
  if (current?.id === id) show(null)
}

function show(notice: Notice | null): void {
  current = notice
  for (const listener of listeners) listener()
}

export const currentNotice = (): Notice | null => current

export function subscribeNotices(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
