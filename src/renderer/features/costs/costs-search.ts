import { cacheList } from '../../../shared/contract/cache.ts'
import { CARRY_GROUPS, carryList } from '../../../shared/contract/carry.ts'
import { costSeries } from '../../../shared/contract/costs.ts'
import { servedList } from '../../../shared/contract/served.ts'
import { field } from '../../lib/address.ts'
import { type Filtered, filters } from '../../lib/filters.ts'
import { PROJECT } from '../../lib/project-filter.ts'
import { isRange, type Range } from '../../lib/time-range.ts'

/** Filters of the view and of its lists. */
export const COST_FILTERS = filters(costSeries, [PROJECT])
export const MISS_FILTERS = filters(cacheList, [{ field: 'project' }, { field: 'cause' }])
export const CARRY_FILTERS = filters(carryList, [{ field: 'project' }])
export const SERVED_FILTERS = filters(servedList)

/** What Costs answers: how much was spent, why more than needed, on what, how much is left, and by whom it was served. */
export const COSTS_TABS = [
  { value: 'spend', name: 'Spend' },
  { value: 'why', name: 'Why' },
  { value: 'context', name: 'Context' },
  { value: 'limits', name: 'Limits' },
  { value: 'served', name: 'Served' },
] as const
export type CostsTab = (typeof COSTS_TABS)[number]['value']
export const COSTS_TAB_PRESET: CostsTab = 'spend'

/** Search parameters of Costs. */
export interface CostsSearch extends Filtered<typeof COST_FILTERS>, Filtered<typeof MISS_FILTERS> {
  readonly tab?: CostsTab | undefined
  readonly range?: Range | undefined
  /** Why and Context show this day (`2026-11-22`) instead of the range. */
  readonly day?: string | undefined
  /** The chart cuts off columns far above the others. */
  readonly clip?: 'yes' | undefined
  /** The chart shows the previous period. */
  readonly compare?: 'yes' | undefined
  /** The chart is shown as a table. */
  readonly table?: 'yes' | undefined
  /** The groups of the context. */
  readonly carry?: CarryBy | undefined
}

export type CarryBy = (typeof CARRY_GROUPS)[number]
export const CARRY_PRESET: CarryBy = 'kind'

export const COSTS_PRESET: Range = '30d'

export function costsSearch(fields: Record<string, unknown>): CostsSearch {
  const range = field(fields, 'range')
  return {
    ...SERVED_FILTERS.read(fields),
    ...CARRY_FILTERS.read(fields),
    ...MISS_FILTERS.read(fields),
    ...COST_FILTERS.read(fields),
    tab: tabOf(fields),
    range: isRange(range) && range !== COSTS_PRESET ? range : undefined,
    day: /^\d{4}-\d\d-\d\d$/.test(field(fields, 'day') ?? '') ? field(fields, 'day') : undefined,
    clip: fields['clip'] === 'yes' ? 'yes' : undefined,
    compare: fields['compare'] === 'yes' ? 'yes' : undefined,
    table: fields['table'] === 'yes' ? 'yes' : undefined,
    carry: CARRY_GROUPS.find((by) => by === field(fields, 'carry')),
  }
}

/** An address without a tab, such as one of before there were tabs, opens the one that has its list. */
function tabOf(fields: Record<string, unknown>): CostsSearch['tab'] {
  const { value } = COSTS_TABS.find(({ value: known }) => known === field(fields, 'tab')) ?? {}
  if (value !== undefined) return value === COSTS_TAB_PRESET ? undefined : value
  return fields['cause'] !== undefined ? 'why' : fields['carry'] !== undefined ? 'context' : undefined
}

/** Query and filters for a list on a card of Costs. */
export interface CostsCardProps {
  readonly search: CostsSearch
  readonly onChange: (change: CostsSearch) => void
}
