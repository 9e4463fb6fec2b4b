/** One page of an answer. */
export interface Page {
  readonly bytes: Uint8Array
  /** Cursor of the next page; null if this is the last. */
  readonly next: string | null
}

/** A call that is waiting for a reader thread, or running on one. */
export interface PendingRead {
  readonly call: number
  readonly name: string
  readonly input: unknown
  readonly supersede: string | undefined
  readonly resolve: (page: Page) => void
  readonly reject: (error: Error) => void
  attempts: number
}
