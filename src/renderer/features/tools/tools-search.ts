import { X } from 'lucide-react'
import { toolsList } from '../../../shared/contract/tools.ts'
import { field } from '../../lib/address.ts'
import { type Filtered, filters } from '../../lib/filters.ts'
import { isRange, type Range } from '../../lib/time-range.ts'

/** The time range and project that the view covers. */
export interface ToolScope {
  readonly range: Range
  readonly project: string | undefined
}

/** Filters of the latest calls. */
export const CALL_FILTERS = filters(toolsList, [{ field: 'failed', kind: 'toggle', label: 'Failed', icon: X }])

/** Search parameters of Tools. */
export interface ToolsSearch extends Filtered<typeof CALL_FILTERS> {
  readonly range?: Range | undefined
  readonly project?: string | undefined
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
    range: isRange(range) && range !== TOOLS_PRESET ? range : undefined,
    project: field(fields, 'project'),
    tool: field(fields, 'tool'),
    ...CALL_FILTERS.read(fields),
    sort: TOOL_SORTS.find((sort) => sort === fields['sort']),
  }
}
