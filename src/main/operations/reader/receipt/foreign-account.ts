import { AspyError } from '../../../../shared/contract/errors.ts'
import { modelNames } from '../../../decode/wire/model-names.ts'

/** Sums of a period and a model, as another program counts them. */
export interface AccountRow {
  readonly period: string
  readonly model: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly cost_usd: number
}

export interface ForeignAccount {
  readonly by: 'day' | 'month' | 'session'
  readonly rows: readonly AccountRow[]
}

type Fields = { readonly [name: string]: unknown }

/** Bounds the rows that are compared. */
const MAX_ROWS = 20_000

/** The lists of `ccusage … --json`: version 18 names the period `date` or `month`, version 20 `period` in every list. */
const LISTS = [
  { list: 'daily', by: 'day', period: ['date', 'period'] },
  { list: 'monthly', by: 'month', period: ['month', 'period'] },
  { list: 'session', by: 'session', period: ['period', 'sessionId'] },
] as const

/**
 * Reads the JSON that `ccusage daily`, `monthly` or `session` prints (versions 18 and 20).
 * @throws AspyError bad_input if it is something else
 */
export function readAccount(json: Fields): ForeignAccount {
  const known = LISTS.find(({ list }) => Array.isArray(json[list]))
  if (known === undefined)
    throw new AspyError(
      'bad_input',
      'compare: expected the output of ccusage daily --json, monthly --json or (version 20) session --json',
    )
  const periods = (json[known.list] as readonly unknown[]).filter(isFields).slice(0, MAX_ROWS)
  const rows = periods.flatMap((entry) => {
    const period = known.period.map((name) => entry[name]).find((value) => typeof value === 'string') ?? ''
    const models = Array.isArray(entry['modelBreakdowns']) ? entry['modelBreakdowns'].filter(isFields) : []
    return models.map((model): AccountRow => ({
      period: String(period),
      model: typeof model['modelName'] === 'string' ? model['modelName'] : 'unknown',
      input_tokens: amount(model['inputTokens']),
      output_tokens: amount(model['outputTokens']),
      cache_read_tokens: amount(model['cacheReadTokens']),
      cache_write_tokens: amount(model['cacheCreationTokens']),
      cost_usd: amount(model['cost']),
    }))
  })
  return { by: known.by, rows: rows.slice(0, MAX_ROWS) }
}

/** The name under which both sides count a model: without its context window and release date. */
export const commonModel = (model: string): string => modelNames(model).at(-1) ?? model

const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
const amount = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0
