import { CARRY_GROUPS } from '../../../shared/contract/carry.ts'
import { field } from '../../lib/address.ts'
import { isRange, type Range } from '../../lib/time-range.ts'

/** Search parameters of Costs. */
export interface CostsSearch {
  readonly range?: Range | undefined
  readonly project?: string | undefined
  /** The chart cuts off columns far above the others. */
  readonly clip?: 'yes' | undefined
  /** The chart shows the period before. */
  readonly compare?: 'yes' | undefined
  /** The chart is shown as a table. */
  readonly table?: 'yes' | undefined
  /** The cause of cache misses whose requests are listed. */
  readonly cause?: string | undefined
  /** The groups of the context. */
  readonly carry?: CarryBy | undefined
}

export type CarryBy = (typeof CARRY_GROUPS)[number]
export const CARRY_PRESET: CarryBy = 'kind'

export const COSTS_PRESET: Range = '30d'

export function costsSearch(fields: Record<string, unknown>): CostsSearch {
  const range = field(fields, 'range')
  return {
    range: isRange(range) && range !== COSTS_PRESET ? range : undefined,
    project: field(fields, 'project'),
    clip: fields['clip'] === 'yes' ? 'yes' : undefined,
    compare: fields['compare'] === 'yes' ? 'yes' : undefined,
    table: fields['table'] === 'yes' ? 'yes' : undefined,
    cause: field(fields, 'cause'),
    carry: CARRY_GROUPS.find((by) => by === field(fields, 'carry')),
  }
}
