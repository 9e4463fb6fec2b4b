import { field } from '../../lib/address.ts'
import { isRange, type Range } from '../../lib/time-range.ts'

/** What the address of Tools says. */
export interface ToolsSearch {
  readonly range?: Range | undefined
  readonly tool?: string | undefined
}

export const TOOLS_PRESET: Range = '30d'

export function toolsSearch(fields: Record<string, unknown>): ToolsSearch {
  const range = field(fields, 'range')
  return { range: isRange(range) && range !== TOOLS_PRESET ? range : undefined, tool: field(fields, 'tool') }
}
