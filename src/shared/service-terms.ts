/** What a request asks of the service, beside its conversation. null: not named. */
export interface AskedFor {
  readonly model: string | null
  /** Values of `anthropic-beta`, sorted. */
  readonly betas: readonly string[]
  readonly effort: string | null
  readonly speed: string | null
  readonly service_tier: string | null
  readonly inference_geo: string | null
  /** Life of the cache marks. */
  readonly cache_ttl: '5m' | '1h' | 'mixed' | null
}

/** How an answer was served, by its usage. null: not reported. */
export interface ServedAs {
  readonly speed: string | null
  readonly service_tier: string | null
  readonly inference_geo: string | null
  /** Life of what was written to the cache. */
  readonly cache_ttl: '5m' | '1h' | 'mixed' | null
}
