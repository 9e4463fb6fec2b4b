import { useSyncExternalStore } from 'react'

/** The part of a session that is on screen. */
export interface Place {
  readonly turn: number
  /** Time of its first event on screen. */
  readonly time: string
}

/** Tells the outline and the map which part of the transcript is on screen, without rendering the page at each scroll. */
export class ShownPlace {
  #place: Place | null = null
  readonly #listeners = new Set<() => void>()

  readonly get = (): Place | null => this.#place
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** null: nothing of a transcript is on screen. */
  set(place: Place | null): void {
    if (place?.time === this.#place?.time && place?.turn === this.#place?.turn) return
    this.#place = place
    for (const listener of this.#listeners) listener()
  }
}

export function useShownPlace(shown: ShownPlace): Place | null {
  return useSyncExternalStore(shown.subscribe, shown.get)
}

/** Returns the last prompt at or before a turn, or −1: the client may have begun the turn itself. */
export function promptOfTurn(prompts: readonly { readonly turn_id: number }[], turn: number): number {
  return prompts.findLastIndex((prompt) => prompt.turn_id <= turn)
}
