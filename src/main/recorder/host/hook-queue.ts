import { v7 as uuidv7 } from 'uuid'
import { SYSTEM_CLOCK, type Clock } from '../../base/clock.ts'
import type { ToRecorder } from '../protocol.ts'

type HookMessage = Extract<ToRecorder, { readonly type: 'hook' }>

/** Bounds the hooks that wait for the recorder. A hook beyond it is dropped and counted. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

/** Hooks that are not committed yet. */
export interface HookBacklog {
  readonly hooks_waiting: number
  /** Age of the oldest; 0 if there is none. */
  readonly hooks_oldest_ms: number
}

/** Hooks that are not committed yet, in the order they arrived. */
export class HookQueue {
  readonly #hooks = new Map<string, HookMessage>()
  readonly #dropped: Record<string, number> = {}
  #heldBytes = 0

  /** Returns the message for the recorder, or null if there was no room. */
  add(json: Uint8Array, clock: Clock = SYSTEM_CLOCK): HookMessage | null {
    if (this.#heldBytes + json.byteLength > MAX_WAITING_BYTES) {
      this.drop('queue_full')
      return null
    }
    // An unshared copy: posting a view would copy all of the memory behind it.
    const body = new Uint8Array(json)
    const hook = { type: 'hook', id: uuidv7(), body, wall: clock.wall(), at: clock.run() } as const
    this.#heldBytes += body.byteLength
    this.#hooks.set(hook.id, hook)
    return hook
  }

  recorded(id: string): void {
    this.#heldBytes -= this.#hooks.get(id)?.body.byteLength ?? 0
    this.#hooks.delete(id)
  }

  waiting(): readonly HookMessage[] {
    return [...this.#hooks.values()]
  }

  /** Counts a hook that did not arrive here, or for which there was no room. */
  drop(reason: 'queue_full' | 'hook_too_large'): void {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + 1
  }

  /** Losses by reason. */
  get dropped(): Readonly<Record<string, number>> {
    return this.#dropped
  }

  backlog(): HookBacklog {
    const [first] = this.#hooks.values()
    return {
      hooks_waiting: this.#hooks.size,
      hooks_oldest_ms: first === undefined ? 0 : performance.now() - first.at,
    }
  }
}
