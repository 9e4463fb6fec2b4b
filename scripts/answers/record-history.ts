import { join } from 'node:path'
import Database from 'better-sqlite3'
import { makeTempFolder } from '../../tests/support/runner/temp-folder.ts'
import { writeList } from './answer-files.ts'
import { createCanonical, type CanonicalOptions } from './canonical.ts'
import { settle, type History } from './histories.ts'
import { foundInIndexes, promisedTables } from './promised-tables.ts'
import { recordCommands } from './record-commands.ts'
import { recordOperations } from './record-operations.ts'
import { dataIn, prepareRoot, serve } from './served-app.ts'
import { readStoredFacts, type StoredFacts } from './stored-facts.ts'

const REPOSITORY = join(import.meta.dirname, '../..')

/** Fills a folder with a history and writes what the tables, operations and commands make of it, below `out`. */
export async function recordHistory(history: History, out: string, say: (what: string) => void): Promise<void> {
  using folder = makeTempFolder('aspy-answers-')
  const root = folder.path
  prepareRoot(root)
  await history.fill(root)
  settle(root, history.now)
  say('filled')

  const folders = { root, repository: REPOSITORY }
  const { facts, options } = await recordTables(join(dataIn(root), 'lifestats.db'), join(out, 'tables'), folders)
  say('tables')

  await using app = await serve({ root, now: history.now })
  await app.recorded()
  for await (const [operation, answers] of recordOperations(app, facts)) {
    const canonical = createCanonical(options)
    await writeList(
      join(out, 'operations', `${operation}.json`),
      mapped(answers, (answer) => canonical(answer, operation)),
    )
  }
  say('operations')
  const canonical = createCanonical(options)
  await writeList(
    join(out, 'commands.json'),
    mapped(recordCommands(dataIn(root), facts), (answer) => canonical(answer)),
  )
  say('commands')
}

async function recordTables(
  path: string,
  out: string,
  folders: CanonicalOptions['folders'],
): Promise<{ readonly facts: StoredFacts; readonly options: CanonicalOptions }> {
  const db = new Database(path, { readonly: true })
  try {
    const options = { folders, events: namesOfEvents(db) }
    for (const [table, rows] of promisedTables(db)) {
      const canonical = createCanonical(options)
      await writeList(
        join(out, `${table}.json`),
        Iterator.from(rows).map((row) => canonical(row)),
      )
    }
    const facts = readStoredFacts(db)
    const canonical = createCanonical(options)
    const words = (facts.get('query') ?? []).map(String)
    await writeList(
      join(out, 'found.json'),
      foundInIndexes(db, words).map((row) => canonical(row)),
    )
    return { facts, options }
  } finally {
    db.close()
  }
}

/** Names events by kind and time: in contrast to ids and UUIDs, these stay if there is one event more. */
function namesOfEvents(db: Database.Database): ReadonlyMap<string, string> {
  const events = db.prepare('SELECT event_id, event_type, ts_wall FROM session_events ORDER BY id').raw()
  const counts = new Map<string, number>()
  return new Map(
    (events.all() as [string, string, string][]).map(([uuid, kind, time]) => {
      const name = `${kind} ${time}`
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      return [uuid, count === 1 ? `<${name}>` : `<${name} ${count}>`]
    }),
  )
}

async function* mapped<T>(values: AsyncIterable<T>, map: (value: T) => string): AsyncGenerator<string> {
  for await (const value of values) yield map(value)
}
