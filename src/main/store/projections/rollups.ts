import type { AnyEvent, AspyEvent } from '../../../shared/event.ts'
import { isTakenBack } from '../identity/settled.ts'
import type { Sighting } from '../log/log.ts'
import { TABLES, type RollupSum } from '../tables.ts'
import { changeOfFailures, failuresOf } from './failures.ts'
import type { Projection } from './projection.ts'
import { createSums } from './sums.ts'
import { isUndated } from './time-basis.ts'

type Key = readonly [quarter: string, project: string, model: string]
type Counts = { readonly [name in RollupSum]?: number }

const COUNTED: { readonly [kind: string]: Counts } = {
  user_prompt: { prompts: 1 },
  tool_call: { tool_calls: 1 },
  thinking: { thinking_blocks: 1 },
  error: { errors: 1 },
}

/** The columns after the time, in all three tables. */
const COLUMNS = `project               TEXT    NOT NULL, -- '' where unknown
  model                 TEXT    NOT NULL, -- '' for rows without a model
  calls                 INTEGER NOT NULL DEFAULT 0,
  input_tokens          INTEGER NOT NULL DEFAULT 0,
  output_tokens         INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens     INTEGER NOT NULL DEFAULT 0,
  cache_creation_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd              REAL    NOT NULL DEFAULT 0,
  unpriced_calls        INTEGER NOT NULL DEFAULT 0,
  lower_bound_calls     INTEGER NOT NULL DEFAULT 0,
  prompts               INTEGER NOT NULL DEFAULT 0,
  tool_calls            INTEGER NOT NULL DEFAULT 0,
  thinking_blocks       INTEGER NOT NULL DEFAULT 0,
  errors                INTEGER NOT NULL DEFAULT 0, api_errors INTEGER NOT NULL DEFAULT 0, failed_tools INTEGER NOT NULL DEFAULT 0,`

/**
 * Counts by quarter hour (UTC), project and model. The same counts by day and over all time keep the summary of a long
 * history short.
 */
export const rollups: Projection = {
  name: 'rollups',
  define: (t, own) => [
    `CREATE TABLE ${t.rollups} (
  quarter               TEXT    NOT NULL, -- 2026-11-21T10:15
  ${COLUMNS}
  PRIMARY KEY (quarter, project, model)
) STRICT, WITHOUT ROWID`,
    `CREATE TABLE ${t.day_rollups} (
  day                   TEXT    NOT NULL, -- 2026-11-21
  ${COLUMNS}
  PRIMARY KEY (day, project, model)
) STRICT, WITHOUT ROWID`,
    `CREATE TABLE ${t.model_totals} (
  ${COLUMNS}
  PRIMARY KEY (project, model)
) STRICT, WITHOUT ROWID`,
    `CREATE INDEX ${own('rollups_unpriced')} ON ${t.rollups} (model) WHERE unpriced_calls > 0`,
  ],
  open({ prepare, tables: t, usageFacts }) {
    const sums = createSums<Key, RollupSum>(prepare, [
      { table: t.rollups, sums: TABLES.rollups.sums, keyOf: (key) => key },
      {
        table: t.day_rollups,
        sums: TABLES.day_rollups.sums,
        keyOf: ([quarter, ...rest]) => [quarter.slice(0, 10), ...rest],
      },
      { table: t.model_totals, sums: TABLES.model_totals.sums, keyOf: ([, ...rest]) => rest },
    ])
    const add = (event: AnyEvent, model: string, counts: Counts, sightings: readonly Sighting[], sign: 1 | -1) => {
      const quarter = isUndated(event, sightings) ? '' : quarterOf(event.ts_wall)
      sums.add([quarter, event.project ?? '', model], counts, sign)
    }
    const addUsage = (event: AspyEvent<'api_usage'>, sightings: readonly Sighting[], sign: 1 | -1) => {
      const facts = usageFacts(event, sightings)
      if (!facts) return
      const { usage, cost_usd, basis } = facts
      const counts = {
        calls: 1,
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_read_tokens: usage.cache_read_input_tokens,
        cache_creation_tokens: usage.cache_creation_input_tokens,
        cost_usd: cost_usd ?? 0,
        unpriced_calls: cost_usd === null ? 1 : 0,
        lower_bound_calls: basis === 'lower_bound' ? 1 : 0,
      }
      add(event as AnyEvent, facts.model, counts, sightings, sign)
    }

    return {
      apply(event) {
        if (event.kind === 'api_usage') return addUsage(event, [], 1)
        if (isEmptyThinking(event)) return
        const counts = COUNTED[event.kind]
        if (counts) add(event, '', counts, [], 1)
        const failures = failuresOf(event)
        if (failures.api_errors + failures.failed_tools > 0) add(event, '', failures, [], 1)
      },
      applySighting(event, sighting, before) {
        if (event.kind === 'user_prompt' && isTakenBack([sighting]) && !isTakenBack(before))
          add(event, '', { prompts: 1 }, before, -1)
        // Only now is it known that the event has no time of its own.
        const isNowUndated = before.length === 0 && isUndated(event, [sighting])
        const counts = isEmptyThinking(event) ? undefined : COUNTED[event.kind]
        if (isNowUndated) {
          for (const moved of [counts, failuresOf(event)]) {
            if (moved === undefined) continue
            add(event, '', moved, [], -1)
            add(event, '', moved, [sighting], 1)
          }
        }
        const change = changeOfFailures(event, sighting, before)
        if (change !== null) add(event, '', change, [...before, sighting], 1)
        if (event.kind === 'api_usage' && sighting.payload !== null) {
          addUsage(event, before, -1)
          addUsage(event, [...before, sighting], 1)
        }
      },
      flush: sums.flush,
      discard: sums.discard,
    }
  },
}

const isEmptyThinking = (event: AnyEvent): boolean => event.kind === 'thinking' && event.payload.text === ''

/** Returns `2026-11-21T10:15` for `2026-11-21T10:22:07.123Z`. */
export function quarterOf(timestamp: string): string {
  const minute = Math.floor(Number(timestamp.slice(14, 16)) / 15) * 15
  return `${timestamp.slice(0, 14)}${String(minute).padStart(2, '0')}`
}
