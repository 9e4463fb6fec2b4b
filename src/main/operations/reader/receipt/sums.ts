import { AspyError } from '../../../../shared/contract/errors.ts'
import type { PaidCall } from '../../../store/read/receipt.ts'
import { addSpent, NOTHING_SPENT, type Spend } from '../../../../shared/spend.ts'

/** Sums of calls, as the receipt shows them. */
export interface Sum extends Mutable<Spend> {
  calls: number
  input_tokens: number
  output_tokens: number
  cache_read_tokens: number
  cache_write_tokens: number
}

type Mutable<Row> = { -readonly [field in keyof Row]: Row[field] }

export const emptySum = (): Sum => ({
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  ...NOTHING_SPENT,
})

export function addCall(sum: Sum, call: PaidCall): void {
  sum.calls += 1
  sum.input_tokens += call.input_tokens
  sum.output_tokens += call.output_tokens
  sum.cache_read_tokens += call.cache_read_tokens
  sum.cache_write_tokens += call.cache_write_tokens
  addSpent(sum, call.cost_usd)
}

/** Sums calls by the fields of a group. Groups are in order of their first call. */
export function sumBy<Group extends object>(
  calls: readonly PaidCall[],
  groupOf: (call: PaidCall) => Group,
): (Group & Sum)[] {
  const groups = new Map<string, Group & Sum>()
  for (const call of calls) {
    const group = groupOf(call)
    const key = JSON.stringify(group)
    let sum = groups.get(key)
    if (sum === undefined) groups.set(key, (sum = { ...group, ...emptySum() }))
    addCall(sum, call)
  }
  return [...groups.values()]
}

export const tokensOf = (sum: Omit<Sum, 'calls' | keyof Spend>): number =>
  sum.input_tokens + sum.output_tokens + sum.cache_read_tokens + sum.cache_write_tokens

/**
 * Like `createDayOf`, for a zone that a person typed.
 * @throws AspyError bad_input if the zone is unknown
 */
export function dayOfOrRefuse(timeZone: string): (iso: string) => string {
  try {
    return createDayOf(timeZone)
  } catch {
    throw new AspyError('bad_input', 'time_zone: not a time zone; use a name such as Europe/Berlin')
  }
}

/** Returns the day of a time (`2026-11-22`) in a time zone. Answers are cached by quarter hour: zones differ by quarters. */
function createDayOf(timeZone: string): (iso: string) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  const known = new Map<number, string>()
  return (iso) => {
    const quarter = Math.floor(Date.parse(iso) / 900_000)
    if (Number.isNaN(quarter)) return ''
    let day = known.get(quarter)
    if (day === undefined) known.set(quarter, (day = format.format(quarter * 900_000)))
    return day
  }
}

/** The fields of a call that decide its price. */
export const pricedUsage = (call: Omit<PaidCall, 'basis' | 'seen'>) => ({
  input_tokens: call.input_tokens,
  output_tokens: call.output_tokens,
  cache_read_input_tokens: call.cache_read_tokens,
  cache_creation_input_tokens: call.cache_write_tokens,
  cache_creation_1h_input_tokens: call.cache_write_1h_tokens,
  web_search_requests: call.web_search_requests,
  service_tier: call.service_tier,
  speed: call.speed,
  inference_geo: call.inference_geo,
})
