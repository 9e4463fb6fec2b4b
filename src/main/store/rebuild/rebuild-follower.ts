import type { AnyEvent } from '../../../shared/event.ts'
import type { Sighting } from '../log/log.ts'
import type { RebuildInProgress } from './rebuild.ts'

/** Repeats live changes in the tables of a running rebuild, for events that the rebuild has already read. */
export class RebuildFollower {
  #rebuild: RebuildInProgress | null = null

  isActive(): boolean {
    return this.#rebuild !== null
  }

  /** Starts following a rebuild; null ends it. */
  follow(rebuild: RebuildInProgress | null): void {
    this.#rebuild = rebuild
  }

  applyLinks(uuid: string): void {
    this.#rebuild?.set.applyLinks(uuid)
  }

  applySighting(event: AnyEvent, sighting: Sighting, earlier: readonly Sighting[]): void {
    if (this.#rebuild !== null && event.id <= this.#rebuild.after)
      this.#rebuild.set.applySighting(event, sighting, earlier)
  }

  flush(): void {
    this.#rebuild?.set.flush()
  }

  /** Makes the rebuild start over: the collected rows may have been rolled back or deleted. */
  invalidate(): void {
    if (this.#rebuild !== null) this.#rebuild.isLost = true
  }
}
