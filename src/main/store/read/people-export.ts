import type { MadeByPeople } from '../../../shared/contract/people.ts'
import { NOT_UNDER_DELETION } from '../delete/deletions.ts'
import { keysOf } from './export.ts'
import type { Reader } from './reader.ts'

type Made<Kind extends MadeByPeople['made']> = Extract<MadeByPeople, { readonly made: Kind }>

/**
 * Returns everything that people made, deletions first, since an import needs them before the events of their sessions.
 */
export const madeByPeople = (reader: Reader): MadeByPeople[] => [
  ...deletions(reader),
  ...labels(reader),
  ...memories(reader),
  ...searches(reader),
  ...budgetNotices(reader),
]

const deletions = (reader: Reader): Made<'deletion'>[] =>
  reader.all("SELECT 'deletion' AS made, session_id, deleted_at FROM tombstones ORDER BY session_id")

const labels = (reader: Reader): Made<'label'>[] =>
  reader
    .all<{ session_id: string; starred: 0 | 1; pinned: 0 | 1; title: string | null; tags: string; updated_at: string }>(
      `SELECT session_id, starred, pinned, title, coalesce(tags, '[]') AS tags, updated_at FROM session_labels
       WHERE ${NOT_UNDER_DELETION} ORDER BY session_id`,
    )
    .map(({ starred, pinned, tags, ...row }) => ({
      made: 'label',
      ...row,
      starred: starred === 1,
      pinned: pinned === 1,
      tags: JSON.parse(tags) as string[],
    }))

const memories = (reader: Reader): Made<'memory'>[] =>
  reader
    .all<Omit<Made<'memory'>, 'keys' | 'evidence'>>(
      `SELECT 'memory' AS made, event_uuid, session_id, fact, category, confidence, source, note, first_confirmed_at,
         last_confirmed_at, created_at
       FROM memories WHERE ${NOT_UNDER_DELETION} ORDER BY created_at, event_uuid`,
    )
    .map((row) => ({
      ...row,
      keys: keysOf(reader, row.event_uuid),
      evidence: reader
        .all<{ event_uuid: string; session_id: string; added_at: string }>(
          `SELECT event_uuid, session_id, added_at FROM memory_evidence
           WHERE memory_uuid = ? AND ${NOT_UNDER_DELETION} ORDER BY added_at, event_uuid`,
          row.event_uuid,
        )
        .map((one) => ({ ...one, keys: keysOf(reader, one.event_uuid) })),
    }))

const searches = (reader: Reader): Made<'search'>[] =>
  reader.all("SELECT 'search' AS made, name, address, created_at FROM saved_searches ORDER BY name")

const budgetNotices = (reader: Reader): Made<'budget_notice'>[] =>
  reader.all(
    `SELECT 'budget_notice' AS made, budget_hash, since, mark, told_at FROM budget_notices
     ORDER BY budget_hash, since, mark`,
  )
