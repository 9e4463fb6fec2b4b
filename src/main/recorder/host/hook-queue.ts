import { v7 as uuidv7 } from 'uuid'
import type { ToRecorder } from '../protocol.ts'

type HookMessage = Extract<ToRecorder, { readonly type: 'hook' }>

/** Bounds the hooks that wait for the recorder. A hook beyond it is dropped and counted. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

/** Hooks that are not committed yet, in the order they arrived. */
export class HookQueue {
  readonly #hooks = new Map<string, HookMessage>()
  readonly #dropped: Record<string, number> = {}
  #heldBytes = 0

  /** Returns the message for the recorder, or null if there was no room. */
  add(json: Uint8Array): HookMessage | null {
    if (this.#heldBytes + json.byteLength > MAX_WAITING_BYTES) {
      this.drop('queue_full')
      return null
    }
    // A copy of its own: posting a view would copy all the memory that it is a part of.
    const body = new Uint8Array(json)
    const hook = { type: 'hook', id: uuidv7(), body, wall: Date.now(), at: performance.now() } as const
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

  /** Counts a hook that did not get here, or had no room. */
  drop(reason: 'queue_full' | 'hook_too_large'): void {
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + 1
  }

  /** Returns counts by reason with the dropped hooks added. */
  addDropped(counts: Readonly<Record<string, number>>): Record<string, number> {
    const sums = { ...counts }
    for (const [reason, count] of Object.entries(this.#dropped)) sums[reason] = (sums[reason] ?? 0) + count
    return sums
  }
}
