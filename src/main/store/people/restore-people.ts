import type { MadeByPeople } from '../../../shared/contract/people.ts'
import type { WritableDb } from '../database/connection.ts'
import type { Tombstones } from '../delete/tombstones.ts'
import type { Log } from '../log/log.ts'

type Made<Kind extends MadeByPeople['made']> = Extract<MadeByPeople, { readonly made: Kind }>
type KeyedEvent = Pick<Made<'memory'>, 'event_uuid' | 'keys'>

export interface RestorePeopleParts {
  readonly db: WritableDb
  readonly log: Pick<Log, 'find' | 'findByKey'>
  readonly tombstones: Tombstones
}

/**
 * Restores what people made elsewhere; of two versions, the later one stays. Returns false if it was left out: its session
 * or event is not recorded here, or it is a deletion of a session that is.
 */
export function createRestorePeople({ db, log, tombstones }: RestorePeopleParts): (made: MadeByPeople) => boolean {
  const isRecorded = db.prepare<[string], number>('SELECT 1 FROM sessions WHERE id = ?').pluck()
  const label = createLabelRestore(db)
  const memory = createMemoryRestore(db, log)
  const search = db.prepare<Made<'search'>>(
    `INSERT INTO saved_searches (name, address, created_at) VALUES (@name, @address, @created_at)
     ON CONFLICT (name) DO UPDATE SET address = excluded.address, created_at = excluded.created_at
       WHERE excluded.created_at > created_at`,
  )
  const notice = db.prepare<Made<'budget_notice'>>(
    `INSERT INTO budget_notices (budget_hash, since, mark, told_at) VALUES (@budget_hash, @since, @mark, @told_at)
     ON CONFLICT DO NOTHING`,
  )
  const restore = db.transaction((made: MadeByPeople): boolean => {
    switch (made.made) {
      case 'deletion':
        if (isRecorded.get(made.session_id) !== undefined) return false
        tombstones.add(made.session_id, made.deleted_at)
        return true
      case 'label':
        if (isRecorded.get(made.session_id) === undefined) return false
        label(made)
        return true
      case 'memory':
        return memory(made)
      case 'search':
        search.run(made)
        return true
      case 'budget_notice':
        notice.run(made)
        return true
    }
  })
  return (made) => restore.immediate(made)
}

function createLabelRestore(db: WritableDb): (made: Made<'label'>) => void {
  const insert = db.prepare(
    `INSERT INTO session_labels (session_id, starred, pinned, title, tags, updated_at)
     VALUES (@session_id, @starred, @pinned, @title, @tags, @updated_at)
     ON CONFLICT (session_id) DO UPDATE SET starred = excluded.starred, pinned = excluded.pinned, title = excluded.title,
       tags = excluded.tags, updated_at = excluded.updated_at
       WHERE excluded.updated_at > updated_at`,
  )
  return ({ starred, pinned, tags, ...row }) => {
    const json = tags.length === 0 ? null : JSON.stringify(tags)
    insert.run({ ...row, starred: Number(starred), pinned: Number(pinned), tags: json })
  }
}

function createMemoryRestore(db: WritableDb, log: RestorePeopleParts['log']): (made: Made<'memory'>) => boolean {
  const insert = db.prepare(
    `INSERT INTO memories (event_uuid, session_id, fact, category, confidence, source, note, first_confirmed_at,
       last_confirmed_at, created_at)
     VALUES (@uuid, @session_id, @fact, @category, @confidence, @source, @note, @first_confirmed_at, @last_confirmed_at,
       @created_at)
     ON CONFLICT (event_uuid) DO UPDATE SET fact = excluded.fact, category = excluded.category,
       confidence = excluded.confidence, source = excluded.source, note = excluded.note,
       last_confirmed_at = excluded.last_confirmed_at,
       first_confirmed_at = min(first_confirmed_at, excluded.first_confirmed_at)
       WHERE excluded.last_confirmed_at > last_confirmed_at`,
  )
  const addEvidence = db.prepare<[string, string, string, string]>(
    'INSERT INTO memory_evidence (memory_uuid, event_uuid, session_id, added_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  /** The event may have been recorded here from another source, under its own uuid. */
  const find = ({ event_uuid, keys }: KeyedEvent) =>
    log.find(event_uuid) ?? keys.map((key) => log.findByKey(key)).find((event) => event !== undefined)

  return (made) => {
    const event = find(made)
    if (event === undefined) return false
    const { made: _, keys: __, event_uuid: ___, evidence, ...row } = made
    insert.run({ ...row, uuid: event.uuid, session_id: event.session_id })
    const confirming = evidence.map((one) => ({ found: find(one), added_at: one.added_at }))
    for (const { found, added_at } of confirming)
      if (found !== undefined) addEvidence.run(event.uuid, found.uuid, found.session_id, added_at)
    return confirming.every(({ found }) => found !== undefined)
  }
}
