import { CHILDREN } from '../../listings/events.ts'
import { listPage } from './list-page.ts'
import type { EventRow } from '../log/log.ts'
import { EVENT_COLUMNS, requireEventRow } from './events.ts'
import type { Reader } from './reader.ts'

/** A walk from an event to its root: rows root first, each with its depth. */
export interface Chain {
  readonly rows: readonly (EventRow & { readonly depth: number })[]
  /** True if there are more than MAX_STEPS in between: the chain then holds the nearest events and the root. */
  readonly truncated: boolean
  /** True if the parents lead back to an event already visited. */
  readonly cycle: boolean
  /** True if a named parent is not stored. */
  readonly gap: boolean
}

/** Bounds the steps of one walk. */
export const MAX_STEPS = 1000

interface Link {
  readonly link_id: number | null
  /** Set if the id is unknown. */
  readonly link_uuid: string | null
  readonly link_root: number | null
  readonly link_depth: number | null
}

/** Rows read at once; the clock is checked between two reads. */
const STRETCH = 200

/** Selects an event and its ancestors, nearest first, as far as parents are known by id. */
const UPWARDS = `WITH RECURSIVE up (id, step) AS (
    SELECT id, 0 FROM events WHERE uuid = ?
    UNION ALL
    SELECT a.parent_id, up.step + 1 FROM up JOIN ancestry a ON a.event_id = up.id WHERE a.parent_id IS NOT NULL AND up.step < ?
  )
  SELECT ${EVENT_COLUMNS}, l.parent_id AS link_id, coalesce(l.missing_parent, e.parent_uuid) AS link_uuid,
    l.root_id AS link_root, l.depth AS link_depth
  FROM up CROSS JOIN events e ON e.id = up.id LEFT JOIN ancestry l ON l.event_id = e.id ORDER BY up.step`

/** Returns the events that led to an event. @throws AspyError not_found */
export function chainOf(reader: Reader, uuid: string, maxSteps = MAX_STEPS): Chain {
  requireEventRow(reader, uuid)
  const met = new Set<number>()
  const upwards: (EventRow & { readonly depth: number | null })[] = []
  let [cycle, gap, truncated] = [false, false, false]
  let root: number | null = null
  const walk = stepsUp(reader, uuid)
  for (let next = walk.next(); !next.done; next = walk.next()) {
    const linked = next.value
    if (linked === null) {
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
    const { link_id: _, link_uuid: __, link_root, link_depth, ...row } = linked
    upwards.push({ ...row, depth: link_depth })
    root ??= link_root
  }
  const rows = upwards.reverse()
  const top = truncated && root !== null && !met.has(root) ? rowOfId(reader, root) : undefined
  if (top !== undefined) rows.unshift({ ...top, depth: depthOf(reader, top.uuid) ?? 0 })
  return { rows: rows.map((row, index) => ({ ...row, depth: row.depth ?? index })), truncated, cycle, gap }
}

/** Yields an event and its ancestors, nearest first; ends with null if the next one is missing or hidden. */
function* stepsUp(reader: Reader, uuid: string): Generator<(EventRow & Link) | null, void, void> {
  let from = uuid
  let last: (EventRow & Link) | null = null
  for (;;) {
    const rows: readonly (EventRow & Link)[] = reader.all<EventRow & Link>(UPWARDS, from, STRETCH)
    for (const linked of rows) {
      // Each further read starts with the last row of the previous one.
      if (last?.uuid === linked.uuid) continue
      if (last !== null && last.link_id !== linked.id) return yield null
      yield linked
      last = linked
    }
    if (last === null) return yield null
    const { link_id, link_uuid }: Link = last
    if (link_id === null && link_uuid === null) return
    if (link_id === null) [from, last] = [link_uuid ?? '', null]
    else if (rows.length > STRETCH) from = last.uuid
    else return yield null
  }
}

const rowOfId = (reader: Reader, id: number): EventRow | undefined =>
  reader.get<EventRow>(`SELECT ${EVENT_COLUMNS} FROM events e WHERE e.id = ?`, id)

const depthOf = (reader: Reader, uuid: string): number | undefined =>
  reader.get<{ depth: number }>(
    'SELECT depth FROM ancestry WHERE event_id = (SELECT id FROM events WHERE uuid = ?)',
    uuid,
  )?.depth

/** Returns the direct effects of an event in the order of the log. */
export function childrenOf(
  reader: Reader,
  uuid: string,
  limit: number,
  cursor?: string,
): { items: (EventRow & { depth: number })[]; next: string | null } {
  requireEventRow(reader, uuid)
  return listPage(reader, CHILDREN, { uuid, limit, cursor }, () => (row) => row)
}

/** Returns everything that an event led to, nearest first, at most `maxSteps`. */
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
