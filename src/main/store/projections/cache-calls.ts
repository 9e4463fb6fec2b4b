import type { AnyEvent, Json, JsonObject } from '../../../shared/event.ts'
import type { CacheVerdict } from '../../../shared/request-shape.ts'
import type { Sighting } from '../log/log.ts'
import { AnsweredCalls } from './answered-calls.ts'
import { CacheLine, type CacheCall } from './cache-line.ts'
import type { OpenProjection, Projection, ProjectionContext } from './projection.ts'
import { insertInto } from '../schema/define-table.ts'
import { TABLES } from '../tables.ts'

/**
 * The cache ledger: one row per answer with usage, compared with the request before it in its line. The row is written when
 * both the usage and the end of the answer are recorded; for a message known from a transcript, with its usage.
 */
export const cacheCalls: Projection = { name: 'cache_calls', open: (context) => new CacheCalls(context) }

class CacheCalls implements OpenProjection {
  readonly #calls: AnsweredCalls
  readonly #addVerdict

  constructor(context: ProjectionContext) {
    const { prepare, tables: t } = context
    const line = new CacheLine(context)
    const insert = prepare<[CacheCall]>(insertInto(t.cache_calls, TABLES.cache_calls, 'OR REPLACE'))
    this.#calls = new AnsweredCalls(context, (call) => void insert.run(line.compare(call)))
    this.#addVerdict = prepare<[string | null, number | null, number]>(
      `UPDATE ${t.cache_calls} SET vendor_type = ?, vendor_tokens = ? WHERE id = ? AND vendor_type IS NULL`,
    )
  }

  apply(event: AnyEvent): void {
    this.#calls.apply(event)
  }

  applySighting(event: AnyEvent, sighting: Sighting, before: readonly Sighting[]): void {
    this.#calls.applySighting(event, sighting, before)
    if (event.kind !== 'api_usage' || sighting.payload === null) return
    const verdict = verdictOf(sighting.payload['cache_verdict'])
    if (verdict) this.#addVerdict.run(verdict.type, verdict.tokens, event.id)
  }

  discard(): void {
    this.#calls.discard()
  }
}

function verdictOf(value: Json | undefined): CacheVerdict | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { type, tokens } = value as JsonObject
  return { type: typeof type === 'string' ? type : null, tokens: typeof tokens === 'number' ? tokens : null }
}
