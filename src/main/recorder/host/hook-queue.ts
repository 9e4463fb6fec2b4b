import type { ToRecorder } from '../protocol.ts'

type HookMessage = Extract<ToRecorder, { readonly type: 'hook' }>

/** Bounds the hooks that wait for the recorder, in characters of JSON. A hook beyond it is dropped and counted. */
const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024

/** Hooks that are not committed yet, in the order they arrived. */
export interface HookQueue {
  /** Returns false if there was no room. */
  add(hook: HookMessage): boolean
  recorded(id: string): void
  waiting(): readonly HookMessage[]
  dropped(): number
}

export function createHookQueue(maxCharacters = MAX_WAITING_CHARACTERS): HookQueue {
  const hooks = new Map<string, { readonly hook: HookMessage; readonly size: number }>()
  let held = 0
  let dropped = 0
  return {
    add(hook) {
      const size = JSON.stringify(hook.body).length
      if (held + size > maxCharacters) {
        dropped += 1
        return false
      }
      held += size
      hooks.set(hook.id, { hook, size })
      return true
    },
    recorded(id) {
      held -= hooks.get(id)?.size ?? 0
      hooks.delete(id)
    },
    waiting: () => [...hooks.values()].map(({ hook }) => hook),
    dropped: () => dropped,
  }
}
