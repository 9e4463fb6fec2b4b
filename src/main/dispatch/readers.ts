/** Options of one read. */
export interface ReadOptions {
  readonly signal?: AbortSignal
  /** A newer call with the same key cancels this one. */
  readonly supersede?: string
}

/** The threads that read the database, as dispatch calls them. */
export interface Readers {
  /** Runs an operation on its parsed input and returns finished JSON. Rejects with an AspyError: the handler's, or `cancelled`. */
  call(name: string, input: unknown, options?: ReadOptions): Promise<Uint8Array>
  /** Returns a list from its first page to its last; each page is read after the previous one was taken. */
  pages(name: string, input: object, signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Calls that wait or run. */
  readonly pending: number
  /** Threads that are running now. */
  readonly threads: number
  close(): Promise<void>
}
