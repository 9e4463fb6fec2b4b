import type { OwnPrice } from '../../shared/config.ts'
import type { ErrorAnswer } from '../../shared/contract/errors.ts'

/** Start data of a reader thread (workerData). */
export interface ReaderStart {
  readonly databasePath: string
  /** The user's prices, which override list prices. */
  readonly prices: readonly OwnPrice[]
  /** The user's names of accounts, by the beginning of their keyed hash. */
  readonly accounts: Readonly<Record<string, string>>
  /** Has the key of all keyed hashes; absent: texts are not checked against theirs. */
  readonly dataDir?: string | undefined
  /** One Int32: the number of the call to cancel. The pool writes it; the thread reads it in the middle of a query. */
  readonly cancelled: SharedArrayBuffer
}

/** Pool → thread, instead of a call: close the file and exit. */
export const END_OF_READING = 'end'

/** Thread → pool: the code is loaded. */
export const READER_READY = 'ready'

/** Pool → thread: one call at a time. */
export interface ReaderCall {
  readonly call: number
  readonly name: string
  readonly input: unknown
  /** Milliseconds after which a search returns its results so far. */
  readonly budgetMs: number
}

/** Thread → pool: finished JSON, its buffer transferred. `next` is the cursor of the next page. */
export type ReaderReply =
  | { readonly call: number; readonly bytes: Uint8Array<ArrayBuffer>; readonly next: string | null }
  | { readonly call: number; readonly error: ErrorAnswer }
