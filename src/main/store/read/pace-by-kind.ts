import type { ParsedInput, OperationOutput } from '../../../shared/contract/index.ts'
import { SLOWEST } from '../../listings/events.ts'
import { narrowed } from './list-page.ts'
import type { Reader } from './reader.ts'

/** Durations of the events of one kind. */
export type KindPace = NonNullable<OperationOutput<'stats.slowest'>['groups']>[number]

/** Returns how long events take by kind, the longest in total first; `partial` if time was up, then of the slowest only. */
export function paceByKind(
  reader: Reader,
  input: ParsedInput<'stats.slowest'>,
): { groups: KindPace[]; partial: boolean } {
  const filter = narrowed(SLOWEST, input, [['e.duration_ms IS NOT NULL']])
  const rows = reader.inTime<{ kind: string; duration_ms: number }>(
    `SELECT e.kind, e.duration_ms FROM events e ${filter.sql} ORDER BY e.duration_ms DESC, e.id DESC`,
    ...filter.values,
  )
  const groups = [...Map.groupBy(rows, ({ kind }) => kind)].map(([kind, own]) => paceOf(kind, own))
  return { groups: groups.sort((a, b) => b.count * b.mean_ms - a.count * a.mean_ms), partial: rows.isCut === true }
}

/** `own`: longest first. */
function paceOf(kind: string, own: readonly { readonly duration_ms: number }[]): KindPace {
  const total = own.reduce((sum, { duration_ms: ms }) => sum + ms, 0)
  const at = (share: number) => own[own.length - Math.ceil(own.length * share)]?.duration_ms ?? 0
  return { kind, count: own.length, mean_ms: total / own.length, p95_ms: at(0.95), max_ms: own[0]?.duration_ms ?? 0 }
}
