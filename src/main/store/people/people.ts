import type { ReportedBudget } from '../../../shared/contract/budgets.ts'
import type { ParsedInput } from '../../../shared/contract/index.ts'
import type { MadeByPeople } from '../../../shared/contract/people.ts'
import { translated } from '../database/store-error.ts'
import { noSession, type Tombstone } from '../delete/tombstones.ts'
import { createRemember } from './remember.ts'
import { createRestorePeople, type RestorePeopleParts } from './restore-people.ts'
import { createTagger } from './tag.ts'

/** Writes what people make: labels, memories, saved searches, and budget notices they have seen. No rebuild touches these tables. */
export type People = ReturnType<typeof createPeople>

/** What each operation is given, as the dispatch has parsed it. */
interface PeopleInputs {
  readonly 'sessions.label': ParsedInput<'sessions.label'>
  readonly 'memories.add': ParsedInput<'memories.add'>
  readonly 'memories.remove': ParsedInput<'memories.remove'>
  readonly 'searches.save': ParsedInput<'searches.save'>
  readonly 'searches.remove': ParsedInput<'searches.remove'>
  readonly 'budgets.reported': ReportedBudget
}

type PeopleOperations = {
  readonly [Name in keyof PeopleInputs]: (input: PeopleInputs[Name]) => { readonly done: boolean }
}

export interface PeopleParts extends RestorePeopleParts {
  /** Returns milliseconds since the epoch. */
  readonly now: () => number
  /** Commits an import's open transaction. */
  readonly closeOpen: () => void
}

export function createPeople({ db, log, tombstones, now, closeOpen }: PeopleParts) {
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

  const operations: PeopleOperations = {
    'sessions.label'({ session_id: id, starred, pinned, title, add_tags, remove_tags }) {
      if (session.get(id) === undefined)
        throw noSession((sql, given) => db.prepare<[string], Tombstone>(sql).get(given), id)
      const own = title?.trim() || null
      begin.run(id, moment())
      label.run(toInteger(starred), toInteger(pinned), title === undefined ? 0 : 1, own, moment(), id)
      tag(id, { add: add_tags ?? [], remove: remove_tags ?? [] })
      return { done: true }
    },
    'memories.add'(input) {
      remember(input)
      return { done: true }
    },
    'memories.remove': ({ uuid }) => ({ done: forget.run(uuid).changes > 0 }),
    'searches.save'({ name, address }) {
      save.run(name, address, moment())
      return { done: true }
    },
    'searches.remove': ({ id }) => ({ done: drop.run(id).changes > 0 }),
    'budgets.reported': ({ budget, since, mark }) => ({
      done: storeReport.run(budget, since, mark, moment()).changes > 0,
    }),
  }

  const restore = createRestorePeople({ db, log, tombstones })

  return {
    run<Name extends keyof PeopleInputs>(name: Name, input: PeopleInputs[Name]): { readonly done: boolean } {
      closeOpen()
      return translated(() => operations[name](input))
    },
    /** Restores an item of an export. Returns false if it was left out. */
    restore(made: MadeByPeople): boolean {
      closeOpen()
      return translated(() => restore(made))
    },
  }
}

const toInteger = (flag: boolean | undefined): number | null => (flag === undefined ? null : flag ? 1 : 0)
