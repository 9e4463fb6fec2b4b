import type { RequestDiff } from '../../../shared/contract/cache.ts'
import { plain } from '../table.ts'

/** Writes the differences between two requests. */
export function diffText(found: RequestDiff): string {
  if (found.against === null) return 'No earlier request.'
  const cause = found.cause === null ? [] : [['Cause:', found.cause.kind, found.cause.where, found.cause.detail]]
  const lines = [
    `Compared with ${found.against}`,
    ...cause.map((words) => words.filter((word) => word !== null).join(' ')),
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
