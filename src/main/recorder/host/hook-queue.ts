import type { ToRecorder } from '../protocol.ts'

type HookMessage = Extract<ToRecorder, { readonly type: 'hook' }>

/** Bounds the hooks that wait for the recorder, in characters of JSON. A hook beyond it is dropped and counted. */
const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024

/** Hooks that are not committed yet. */
export interface HookBacklog {
  readonly hooks_waiting: number
  /** Age of the oldest; 0 if there is none. */
  readonly hooks_oldest_ms: number
}

/** Hooks that are not committed yet, in the order they arrived. */
export interface HookQueue {
  /** Returns false if there was no room. */
  add(hook: HookMessage): boolean
  recorded(id: string): void
  waiting(): readonly HookMessage[]
  /** What was dropped, by reason. */
  dropped(): { readonly [reason: string]: number }
  backlog(): HookBacklog
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
    dropped: () => (dropped === 0 ? {} : { queue_full: dropped }),
    backlog() {
      const [first] = hooks.values()
      return {
        hooks_waiting: hooks.size,
        hooks_oldest_ms: first === undefined ? 0 : performance.now() - first.hook.at,
      }
    },
  }
}
