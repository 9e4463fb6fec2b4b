import type { OperationOutput } from '../../../shared/contract/index.ts'
import { SERVED_DIMENSIONS } from '../../../shared/contract/served.ts'
import type { AskedFor, ServedAs } from '../../../shared/service-terms.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { modelNames } from '../../decode/wire/model-names.ts'
import { servedRows, type ServedRow } from '../../store/read/served.ts'
import { given } from './given.ts'
import { isObject } from '../../../shared/json-fields.ts'
import { DAY_MS } from '../../../shared/time-units.ts'

type Served = OperationOutput<'served.list'>
type Change = Served['changes'][number]
type Dimension = Change['dimension']

const DEFAULT_SINCE_MS = 30 * DAY_MS
const COMBINATIONS_SHOWN = 100
/** The values of these vary between requests without a change of the service, or are other names for the same thing. */
const MEANINGLESS = new Set(['not_available', 'auto', 'standard_only'])

interface Answer {
  readonly row: ServedRow
  readonly asked: AskedFor
  readonly served: ServedAs
  readonly model: string
}

/** Finds the first answers that were served differently than requested, or differently than before. */
export const servedList: ReaderHandler<'served.list'> = (reader, { limit, ...input }) => {
  const span = { ...given(input), since: input.since ?? new Date(Date.now() - DEFAULT_SINCE_MS).toISOString() }
  const rows = servedRows(reader, 'model_response', span)
  const answers: Answer[] = []
  let unknown = 0
  for (const row of rows.toReversed()) {
    const { asked, served, model, status } = reader.head(row.payload)
    if (typeof status !== 'number' || status >= 300 || typeof model !== 'string') continue
    if (isObject(asked) && isObject(served))
      answers.push({ row, asked: asked as never, served: served as never, model })
    else unknown += 1
  }
  const fallbacks = servedRows(reader, 'state_change', span)
    .toReversed()
    .flatMap((row) => fallbackOf(row, reader.head(row.payload)))
  const changes = [...findChanges(answers), ...fallbacks].sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1))
  return {
    changes: changes.slice(0, limit),
    combinations: combinationsOf(answers),
    answers: answers.length + unknown,
    unknown,
    partial: rows.isCut === true,
  }
}

/** Reports each served value once: the first time that it differs from the request or from earlier answers. */
function findChanges(answers: readonly Answer[]): Change[] {
  const seen = new Map<string, Map<string, Change | null>>()
  const newest = new Map<string, string>()
  const changes: Change[] = []
  for (const answer of answers) {
    for (const dimension of SERVED_DIMENSIONS) {
      const served = valueOf(answer, dimension)
      if (served === null) continue
      const asked = askedOf(answer, dimension)
      const line = `${dimension}\n${answer.asked.model}\n${asked}`
      const values = seen.get(line) ?? new Map<string, Change | null>()
      seen.set(line, values)
      const known = values.get(served)
      if (known) known.answers += 1
      if (known === undefined) {
        const differs = asked !== null && asked !== served
        const before = newest.get(line) ?? null
        const change =
          differs || (asked === null && before !== null)
            ? changeOf(answer, dimension, { kind: differs ? 'differs' : 'changed', asked, before, served })
            : null
        values.set(served, change)
        if (change !== null) changes.push(change)
      }
      newest.set(line, served)
    }
  }
  return changes
}

function changeOf(
  { row }: Pick<Answer, 'row'>,
  dimension: Dimension,
  what: Pick<Change, 'kind' | 'asked' | 'before' | 'served'>,
): Change {
  const { uuid, session_id, agent_id, timestamp } = row
  return { uuid, session_id, agent_id, timestamp, dimension, ...what, answers: 1 }
}

function valueOf({ served, model }: Answer, dimension: Dimension): string | null {
  if (dimension === 'model') return commonName(model)
  const value = served[dimension]
  return value === null || value === 'mixed' || MEANINGLESS.has(value) ? null : value
}

/** The requested value; null if the service was free to choose. */
function askedOf({ asked }: Answer, dimension: Dimension): string | null {
  const value = asked[dimension]
  if (value === null || value === 'mixed' || MEANINGLESS.has(value)) return null
  // An alias such as `opus` or `…-latest` names no version.
  if (dimension === 'model') return /\d/.test(value) && !value.endsWith('-latest') ? commonName(value) : null
  return value
}

const commonName = (model: string): string => modelNames(model).at(-1) ?? model

function fallbackOf(row: ServedRow, payload: { readonly [name: string]: unknown }): Change[] {
  const { name, from, to } = payload
  if (name !== 'model_fallback' || typeof to !== 'string') return []
  const asked = typeof from === 'string' ? from : null
  return [changeOf({ row }, 'model', { kind: 'fallback', asked, before: null, served: to })]
}

function combinationsOf(answers: readonly Answer[]): Served['combinations'] {
  const sums = new Map<string, Served['combinations'][number]>()
  for (const { row, asked, served, model } of answers) {
    const combination = {
      asked_model: asked.model,
      served_model: model,
      effort: asked.effort,
      betas: [...asked.betas],
      speed: served.speed,
      service_tier: served.service_tier,
      inference_geo: served.inference_geo,
      asked_cache_ttl: asked.cache_ttl,
      cache_ttl: served.cache_ttl,
    }
    const key = JSON.stringify(combination)
    const sum = sums.get(key)
    if (sum === undefined)
      sums.set(key, { ...combination, answers: 1, first_at: row.timestamp, last_at: row.timestamp })
    else {
      sum.answers += 1
      sum.last_at = row.timestamp
    }
  }
  return [...sums.values()].sort((a, b) => b.answers - a.answers).slice(0, COMBINATIONS_SHOWN)
}
