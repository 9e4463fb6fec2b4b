import { fromCursor, toPage } from './page.ts'
import type { EventRow } from '../log.ts'
import { EVENT_COLUMNS, requireEventRow } from './events.ts'
import type { Reader } from './reader.ts'

/** A walk up: rows root first, each with its depth. */
export interface Chain {
  readonly rows: readonly (EventRow & { readonly depth: number })[]
  /** More than MAX_STEPS lie between: the nearest ones are there, and the root. */
  readonly truncated: boolean
  /** The parents lead back to an event already met. */
  readonly cycle: boolean
  /** A parent is named that is not stored. */
  readonly gap: boolean
}

/** Steps of one walk. */
export const MAX_STEPS = 1000

interface Link {
  readonly link_id: number | null
  /** Where no id is known. */
  readonly link_uuid: string | null
  readonly link_root: number | null
  readonly link_depth: number | null
}

const LINKED_ROW = `SELECT ${EVENT_COLUMNS}, l.parent_id AS link_id, coalesce(l.missing_parent, e.parent_uuid) AS link_uuid,
    l.root_id AS link_root, l.depth AS link_depth
  FROM events e LEFT JOIN ancestry l ON l.event_id = e.id WHERE e.`

/** What led to an event. Throws `not_found` where there is no such event. */
export function chainOf(reader: Reader, uuid: string, maxSteps = MAX_STEPS): Chain {
  requireEventRow(reader, uuid)
  const met = new Set<number>()
  const upwards: (EventRow & { readonly depth: number | null })[] = []
  let cycle = false
  let gap = false
  let truncated = false
  let root: number | null = null
  let next: number | string | null = uuid
  while (next !== null) {
    const column: string = typeof next === 'number' ? 'id' : 'uuid'
    const linked: (EventRow & Link) | undefined = reader.get<EventRow & Link>(`${LINKED_ROW}${column} = ?`, next)
    if (linked === undefined) {
      gap = true
      break
    }
    if (met.has(linked.id)) {
      cycle = true
      break
    }
    const isTimeUp = reader.budget.over && upwards.length > 0
    if (isTimeUp) reader.budget.cut()
    if (upwards.length >= maxSteps || isTimeUp) {
      truncated = true
      break
    }
    met.add(linked.id)
    const { link_id, link_uuid, link_root, link_depth, ...row }: EventRow & Link = linked
    upwards.push({ ...row, depth: link_depth })
    root ??= link_root
    next = link_id ?? link_uuid
  }
  const rows = upwards.reverse()
  const top = truncated && root !== null && !met.has(root) ? rowOfId(reader, root) : undefined
  if (top !== undefined) rows.unshift({ ...top, depth: depthOf(reader, top.uuid) ?? 0 })
  return {
    rows: rows.map((row, index) => ({ ...row, depth: row.depth ?? index })),
    truncated,
    cycle,
    gap,
  }
}

function rowOfId(reader: Reader, id: number): EventRow | undefined {
  return reader.get<EventRow>(`SELECT ${EVENT_COLUMNS} FROM events e WHERE e.id = ?`, id)
}

function depthOf(reader: Reader, uuid: string): number | undefined {
  return reader.get<{ depth: number }>(
    'SELECT depth FROM ancestry WHERE event_id = (SELECT id FROM events WHERE uuid = ?)',
    uuid,
  )?.depth
}

/** What an event caused directly, in the order of the log. */
export function childrenOf(
  reader: Reader,
  uuid: string,
  limit: number,
  cursor?: string,
): { items: (EventRow & { depth: number })[]; next: string | null } {
  requireEventRow(reader, uuid)
  const after = cursor === undefined ? 0 : fromCursor(cursor, ['number'])[0]
  const rows = reader.inTime<EventRow & { depth: number }>(
    `SELECT ${EVENT_COLUMNS}, l.depth FROM ancestry l CROSS JOIN events e ON e.id = l.event_id
     WHERE l.parent_id = (SELECT id FROM events WHERE uuid = ?) AND l.event_id > ? ORDER BY l.event_id LIMIT ?`,
    uuid,
    after,
    limit + 1,
  )
  return toPage(
    rows,
    limit,
    (row) => [row.id],
    (row) => row,
  )
}

/** Everything an event led to, nearest first, at most `maxSteps`. */
export function descendantsOf(reader: Reader, uuid: string, maxSteps = MAX_STEPS): Chain {
  const start = requireEventRow(reader, uuid)
  const met = new Set([uuid])
  const rows: (EventRow & { depth: number })[] = [{ ...start, depth: depthOf(reader, uuid) ?? 0 }]
  let cycle = false
  let truncated = false
  for (let at = 0; at < rows.length && !truncated; at += 1) {
    const parent = rows[at]
    if (parent === undefined) break
    if (reader.budget.over && at > 0) {
      reader.budget.cut()
      truncated = true
      break
    }
    for (const child of childrenOf(reader, parent.uuid, maxSteps).items) {
      if (met.has(child.uuid)) {
        cycle = true
        continue
      }
      if (rows.length > maxSteps) {
        truncated = true
        break
      }
      met.add(child.uuid)
      rows.push(child)
    }
  }
  return { rows, truncated, cycle, gap: false }
}
