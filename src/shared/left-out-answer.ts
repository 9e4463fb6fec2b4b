/** An answer that passed the proxy and is not stored, or not whole. */
export interface LeftOutAnswer {
  readonly exchange: string
  /** Its session, if that was deleted for good. */
  readonly deletedSession: string | null
  /** What it cost beyond what is stored; null if it ended before it said so. */
  readonly cost: { readonly usd: number; readonly tokens: number } | null
}
