import { AspyError } from '../../../shared/contract/errors.ts'

/** Bounds how much of one kind of work a server does at once, and counts what it refused and how long the rest took. */
export class Room {
  readonly #most: number
  #taken = 0
  #refused = 0
  #seconds = 0

  constructor(most: number) {
    this.#most = most
  }

  get taken(): number {
    return this.#taken
  }

  /** Requests for which there was no room. */
  get refused(): number {
    return this.#refused
  }

  /** Seconds spent on the work that had room. */
  get seconds(): number {
    return this.#seconds
  }

  /** Runs work. Throws `busy` if as much as allowed is under way: a queue would only make everybody wait. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken >= this.#most) {
      this.#refused += 1
      throw new AspyError('busy', 'the server is busy; try again shortly')
    }
    this.#taken += 1
    const started = performance.now()
    try {
      return await work()
    } finally {
      this.#taken -= 1
      this.#seconds += (performance.now() - started) / 1000
    }
  }
}
