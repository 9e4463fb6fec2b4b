/** Service options of a request, besides its conversation. null: not given. */
export interface AskedFor {
  readonly model: string | null
  /** Values of `anthropic-beta`, sorted. */
  readonly betas: readonly string[]
  readonly effort: string | null
  readonly speed: string | null
  readonly service_tier: string | null
  readonly inference_geo: string | null
  /** Lifetime of the cache marks. */
  readonly cache_ttl: '5m' | '1h' | 'mixed' | null
}

/** Service facts about an answer, from its usage. null: not reported. */
export interface ServedAs {
  readonly speed: string | null
  readonly service_tier: string | null
  readonly inference_geo: string | null
  /** Lifetime of the cache entries written. */
  readonly cache_ttl: '5m' | '1h' | 'mixed' | null
}
