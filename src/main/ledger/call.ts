import type { InputTokens } from './missed.ts'
import type { RequestBlocks } from './request-blocks.ts'

/** A request of a line and its answer, as the ledger compares them. */
export interface Call {
  readonly model: string
  /** Milliseconds since 1970. For a call that was not captured, the end of its answer. */
  readonly sentAt: number
  readonly begunAt: number
  /** The time before which it was not sent: of a call that was not captured, the prompt or result that it sent. */
  readonly notSentBefore: number | null
  /** When its answer began by the upstream's clock; null if that is not known. */
  readonly answeredAt: number | null
  /** When it was sent, in milliseconds since the run began; null if it was not captured. */
  readonly monotonic: number | null
  readonly isCaptured: boolean
  readonly usage: InputTokens
  readonly speed: string | null
  /** Milliseconds for which the API keeps the newest cache entry. */
  readonly ttlMs: number
  /** Null if the request was not captured, or its shape is no longer stored. */
  readonly blocks: RequestBlocks | null
  readonly messageId: string | null
}
