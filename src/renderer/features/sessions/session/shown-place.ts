import { useSyncExternalStore } from 'react'

/** The part of a session that is on screen. */
export interface Place {
  readonly turn: number
  /** Time of its first event on screen. */
  readonly time: string
}

/** Time in ms between two moves of the outline and the map. More often would cost the frames that scrolling needs. */
const FOLLOW_MS = 150

/**
 * Reports to the outline and the map which part of the transcript is on screen, without rendering the page at each
 * scroll.
 */
export class ShownPlace {
  #place: Place | null = null
  /** The newest place, which listeners receive when the timer ends. */
  #next: Place | null = null
  #timer: ReturnType<typeof setTimeout> | null = null
  readonly #listeners = new Set<() => void>()

  readonly get = (): Place | null => this.#place
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** null: no part of a transcript is on screen. */
  set(place: Place | null): void {
    this.#next = place
    if (place === null || this.#place === null) this.#publish()
    else this.#timer ??= setTimeout(() => this.#publish(), FOLLOW_MS)
  }

  #publish(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#next?.time === this.#place?.time && this.#next?.turn === this.#place?.turn) return
    this.#place = this.#next
    for (const listener of this.#listeners) listener()
  }
}

export const useShownPlace = (shown: ShownPlace): Place | null => useSyncExternalStore(shown.subscribe, shown.get)

/** Returns the last prompt at or before a turn, or −1: the client may have begun the turn itself. */
export const promptOfTurn = (prompts: readonly { readonly turn_id: number }[], turn: number): number =>
  prompts.findLastIndex((prompt) => prompt.turn_id <= turn)
