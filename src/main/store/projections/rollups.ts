import type { AnyEvent } from '../../../shared/event.ts'
import type { RollupSum } from '../schema/usage-tables.ts'
import { TABLES } from '../tables.ts'
import { NO_COUNTS, type Fact } from './fact.ts'
import type { Projection } from './projection.ts'
import { createSums } from './sums.ts'
import type { UsageFacts } from './usage-facts.ts'
import { spentOn } from '../../../shared/spend.ts'

type Key = readonly [quarter: string, project: string, model: string]

/**
 * Counts by quarter hour (UTC), project and model. The same counts by day and over all time keep the summary of a long
 * history short.
 */
export const rollups: Projection = {
  name: 'rollups',
  open({ prepare, tables: t }) {
    const sums = createSums<Key, RollupSum>(prepare, [
      { table: t.rollups, sums: TABLES.rollups.sums, keyOf: (key) => key },
      {
        table: t.day_rollups,
        sums: TABLES.day_rollups.sums,
        keyOf: ([quarter, ...rest]) => [quarter.slice(0, 10), ...rest],
      },
      { table: t.model_totals, sums: TABLES.model_totals.sums, keyOf: ([, ...rest]) => rest },
    ])
    const add = (event: AnyEvent, fact: Fact | null, sign: 1 | -1) => {
      if (fact === null) return
      const quarter = fact.isUndated ? '' : quarterOf(event.ts_wall)
      const project = event.project ?? ''
      if (fact.usage !== null) sums.add([quarter, project, fact.usage.model], sumsOf(fact.usage), sign)
      if (fact.counts !== NO_COUNTS) sums.add([quarter, project, ''], fact.counts, sign)
    }
    return {
      change(event, was, is) {
        add(event, was, -1)
        add(event, is, 1)
      },
      flush: sums.flush,
      discard: sums.discard,
    }
  },
}

function sumsOf({ usage, cost_usd, basis }: UsageFacts): { readonly [name in RollupSum]?: number } {
  return {
    calls: 1,
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_read_tokens: usage.cache_read_input_tokens,
    cache_creation_tokens: usage.cache_creation_input_tokens,
    ...spentOn(cost_usd),
    lower_bound_calls: basis === 'lower_bound' ? 1 : 0,
  }
}

/** Returns `2026-11-21T10:15` for `2026-11-21T10:22:07.123Z`. */
export function quarterOf(timestamp: string): string {
  const minute = Math.floor(Number(timestamp.slice(14, 16)) / 15) * 15
  return `${timestamp.slice(0, 14)}${String(minute).padStart(2, '0')}`
}
