import { X } from 'lucide-react'
import { slowest } from '../../../shared/contract/stats.ts'
import { toolsList } from '../../../shared/contract/tools.ts'
import { field } from '../../lib/address.ts'
import { type Filtered, filters } from '../../lib/filters.ts'
import { isRange, type Range } from '../../lib/time-range.ts'

/** Filters of the latest and of the slowest calls. */
export const CALL_FILTERS = filters(toolsList, [{ field: 'failed', label: 'Failed', icon: X }, { field: 'project' }])
export const SLOW_FILTERS = filters(slowest, [{ field: 'project' }])

/** Query and filters for a list of calls on Tools. */
export interface ToolListProps {
  readonly search: ToolsSearch
  readonly onChange: (change: ToolsSearch) => void
}

/** Search parameters of Tools. */
export interface ToolsSearch extends Filtered<typeof CALL_FILTERS> {
  readonly range?: Range | undefined
  readonly tool?: string | undefined
  /** Sort column, highest first. The default is calls. */
  readonly sort?: ToolSort | undefined
}

export const TOOL_SORTS = ['p50', 'p95', 'failed', 'refused'] as const
export type ToolSort = (typeof TOOL_SORTS)[number]

export const TOOLS_PRESET: Range = '30d'

export function toolsSearch(fields: Record<string, unknown>): ToolsSearch {
  const range = field(fields, 'range')
  return {
    ...SLOW_FILTERS.read(fields),
    ...CALL_FILTERS.read(fields),
    tool: field(fields, 'tool'),
    range: isRange(range) && range !== TOOLS_PRESET ? range : undefined,
    sort: TOOL_SORTS.find((sort) => sort === fields['sort']),
  }
}
