import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { formatCost } from '../../../lib/format.ts'

/** Formats the client's own total; null if there is none, or it is displayed the same as the list price. */
export function clientTotal({
  client_cost_usd: own,
  total_cost_usd: listed,
}: Pick<OperationOutput<'sessions.get'>, 'client_cost_usd' | 'total_cost_usd'>): string | null {
  if (own === null) return null
  const shown = formatCost(own)
  return shown === formatCost(listed) ? null : shown
}
