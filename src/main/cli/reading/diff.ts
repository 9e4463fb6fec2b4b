import { causeLabel, causeNote } from '../../../shared/cache-causes.ts'
import type { RequestDiff } from '../../../shared/contract/cache.ts'
import { dollars, plain } from '../table.ts'

/** Writes the differences between two requests. */
export function diffText(found: RequestDiff): string {
  const cause = found.cause === null ? [] : [causeLabel(found.cause.kind), causeNote(found.cause)]
  const lines = [
    found.against === null ? 'No earlier request.' : `Compared with ${found.against}`,
    ...(found.cost_usd === undefined ? [] : [`Cost: ${dollars(found.cost_usd)}`]),
    ...(cause.length === 0 ? [] : [`Cause: ${cause.filter((words) => words !== '').join('; ')}`]),
    ...found.parameters.map(({ name, before, after }) => `${name}: ${before ?? 'none'} → ${after ?? 'none'}`),
    ...found.items.flatMap((item) => [
      item.change === 'equal'
        ? `= ${item.at} ${item.blocks} equal`
        : `${item.change} ${item.at} ${[item.kind, item.tool ?? ''].join(' ').trim()}`,
      ...(item.change === 'changed' ? [`  - ${around(item, item.before)}`, `  + ${around(item, item.after)}`] : []),
    ]),
  ]
  return lines.map(plain).join('\n')
}

/** Shows the text where it first differs. */
function around({ first_difference: at }: { first_difference: number | null }, text: string | null): string {
  if (text === null) return 'not stored'
  const from = Math.max(0, (at ?? 0) - 40)
  return `${from > 0 ? '…' : ''}${text.slice(from, from + 160)}`
}
