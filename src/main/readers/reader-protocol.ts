import type { OwnPrice } from '../../shared/config.ts'
import type { ErrorAnswer } from '../../shared/contract/errors.ts'

/** What a reader thread is started with (workerData). */
export interface ReaderStart {
  readonly databasePath: string
  /** In place of list prices. */
  readonly prices: readonly OwnPrice[]
  /** One Int32: the number of the call that is to stop; written by the pool, read by the thread in mid-query. */
  readonly cancelled: SharedArrayBuffer
}

/** Pool → thread, in place of a call: close the file and end. */
export const END_OF_READING = 'end'

/** Thread → pool: its code is loaded. */
export const READER_READY = 'ready'

/** Pool → thread: one call at a time. */
export interface ReaderCall {
  readonly call: number
  readonly name: string
  readonly input: unknown
  /** Milliseconds that a search may take before it answers with what it has. */
  readonly budgetMs: number
}

/** Thread → pool: finished JSON, its buffer transferred; `next`: of a page, where the one after it begins. */
export type ReaderReply =
  | { readonly call: number; readonly bytes: Uint8Array<ArrayBuffer>; readonly next: string | null }
  | { readonly call: number; readonly error: ErrorAnswer }
