import { reportedBudget } from '../../../shared/contract/budgets.ts'
import {
  memoryAdd,
  memoryRemove,
  searchRemove,
  searchSave,
  sessionLabel,
  type MadeByPeople,
} from '../../../shared/contract/people.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import { translated } from '../database/connection.ts'
import { createRemember } from './remember.ts'
import { createRestorePeople, type RestorePeopleParts } from './restore-people.ts'
import { createTagger } from './tag.ts'

/** Writes what people make: labels, memories, saved searches, and budget notices they have seen. No rebuild touches these tables. */
export interface People {
  /** Parses the input and runs the operation. */
  run(name: PeopleOperation, input: unknown): { readonly done: boolean }
  /** Restores an item of an export. Returns false if it was left out. */
  restore(made: MadeByPeople): boolean
}

export type PeopleOperation =
  | 'sessions.label'
  | 'memories.add'
  | 'memories.remove'
  | 'searches.save'
  | 'searches.remove'
  | 'budgets.reported'

export interface PeopleParts extends RestorePeopleParts {
  /** Returns milliseconds since the epoch. */
  readonly now: () => number
  /** Commits an import's open transaction. */
  readonly closeOpen: () => void
}

export function createPeople({ db, log, tombstones, now, closeOpen }: PeopleParts): People {
  const moment = () => new Date(now()).toISOString()
  const begin = db.prepare<[string, string]>(
    'INSERT INTO session_labels (session_id, updated_at) VALUES (?, ?) ON CONFLICT (session_id) DO NOTHING',
  )
  const label = db.prepare<[number | null, number | null, number, string | null, string, string]>(
    `UPDATE session_labels SET starred = coalesce(?, starred), pinned = coalesce(?, pinned),
       title = CASE WHEN ? THEN ? ELSE title END, updated_at = ? WHERE session_id = ?`,
  )
  const tag = createTagger(db)
  const session = db.prepare<[string], { id: string }>('SELECT id FROM sessions WHERE id = ?')
  const remember = createRemember(db, moment)
  const forget = db.prepare<[string]>('DELETE FROM memories WHERE event_uuid = ?')
  const save = db.prepare<[string, string, string]>(
    `INSERT INTO saved_searches (name, address, created_at) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET address = excluded.address, created_at = excluded.created_at`,
  )
  const drop = db.prepare<[number]>('DELETE FROM saved_searches WHERE id = ?')

  const storeReport = db.prepare<[string, string, number, string]>(
    'INSERT INTO budget_notices (budget_hash, since, mark, told_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )

  function run(name: PeopleOperation, input: unknown): { readonly done: boolean } {
    switch (name) {
      case 'sessions.label': {
        const { session_id: id, starred, pinned, title, add_tags, remove_tags } = sessionLabel.input.parse(input)
        if (session.get(id) === undefined) throw new AspyError('not_found', `there is no session ${id}`)
        const own = title?.trim() || null
        begin.run(id, moment())
        label.run(toInteger(starred), toInteger(pinned), title === undefined ? 0 : 1, own, moment(), id)
        tag(id, { add: add_tags ?? [], remove: remove_tags ?? [] })
        return { done: true }
      }
      case 'memories.add':
        remember(memoryAdd.input.parse(input))
        return { done: true }
      case 'memories.remove':
        return { done: forget.run(memoryRemove.input.parse(input).uuid).changes > 0 }
      case 'searches.save': {
        const { name: called, address } = searchSave.input.parse(input)
        save.run(called, address, moment())
        return { done: true }
      }
      case 'budgets.reported': {
        const { budget, since, mark } = reportedBudget.parse(input)
        return { done: storeReport.run(budget, since, mark, moment()).changes > 0 }
      }
      case 'searches.remove':
        return { done: drop.run(searchRemove.input.parse(input).id).changes > 0 }
    }
  }

  const restore = createRestorePeople({ db, log, tombstones })

  return {
    run(name, input) {
      closeOpen()
      return translated(() => run(name, input))
    },
    restore(made) {
      closeOpen()
      return translated(() => restore(made))
    },
  }
}

const toInteger = (flag: boolean | undefined): number | null => (flag === undefined ? null : flag ? 1 : 0)
