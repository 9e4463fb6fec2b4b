import { AspyError } from '../../../shared/contract/errors.ts'

/**
 * Bounds the concurrent work of one kind on a server, and counts refused requests and the time that the others took.
 */
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

  /** Requests for which there was no capacity. */
  get refused(): number {
    return this.#refused
  }

  /** Seconds spent on admitted work. */
  get seconds(): number {
    return this.#seconds
  }

  /** Runs work. Throws `busy` at the limit, since a queue would only make everybody wait. */
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
