import { join } from 'node:path'
import Database from 'better-sqlite3'
import { makeTempFolder } from '../../tests/support/runner/temp-folder.ts'
import { writeList } from './answer-files.ts'
import { createCanonical, type CanonicalOptions } from './canonical.ts'
import { settle, type History } from './histories.ts'
import { foundInIndexes, promisedTables } from './promised-tables.ts'
import { answersAfter, CHANGES } from './record-changes.ts'
import { recordCommands } from './record-commands.ts'
import { recordOperations } from './record-operations.ts'
import { configure, dataIn, prepareRoot, serve } from './served-app.ts'
import { readStoredFacts, type StoredFacts } from './stored-facts.ts'

const REPOSITORY = join(import.meta.dirname, '../..')

/** Records one history in a separate folder. */
export class HistoryRecorder {
  readonly #history: History
  readonly #root: string
  readonly #out: string

  constructor(history: History, root: string, out: string) {
    this.#history = history
    this.#root = root
    this.#out = out
  }

  /** Fills the folder; records tables, operations and commands, then the tables after each change. */
  async record(say: (what: string) => void): Promise<void> {
    prepareRoot(this.#root)
    await this.#history.fill(this.#root)
    settle(this.#root, this.#history.now)
    say('filled')
    const { facts, options } = await this.#tables('tables')
    await this.#answers(facts, options)
    say('answers')
    await this.#changes(facts)
    say('changes')
  }

  async #answers(facts: StoredFacts, options: CanonicalOptions): Promise<void> {
    await using app = await serve({ root: this.#root, now: this.#history.now })
    await app.recorded()
    for await (const [operation, answers] of recordOperations(app, facts)) {
      const canonical = createCanonical(options)
      await this.#write(`operations/${operation}`, answers, (answer) => canonical(answer, operation))
    }
    const canonical = createCanonical(options)
    await this.#write('commands', recordCommands(dataIn(this.#root), facts), (answer) => canonical(answer))
  }

  async #changes(facts: StoredFacts): Promise<void> {
    for (const { name, settings, run } of CHANGES) {
      configure(this.#root, settings)
      const app = await serve({ root: this.#root, now: this.#history.now })
      const answers = [...(await run(app, facts)), ...(await answersAfter(app, facts))]
      await app.stop()
      settle(this.#root, this.#history.now)
      const { options } = await this.#tables(`${name}/tables`)
      const canonical = createCanonical(options)
      await this.#write(`${name}/answers`, answers, (answer) => canonical(answer))
    }
  }

  async #tables(folder: string): Promise<{ readonly facts: StoredFacts; readonly options: CanonicalOptions }> {
    const db = new Database(join(dataIn(this.#root), 'lifestats.db'), { readonly: true })
    try {
      const options = { folders: { root: this.#root, repository: REPOSITORY }, events: namesOfEvents(db) }
      for (const [table, rows] of promisedTables(db)) {
        const canonical = createCanonical(options)
        await this.#write(`${folder}/${table}`, rows, (row) => canonical(row, table))
      }
      const facts = readStoredFacts(db)
      const canonical = createCanonical(options)
      const words = (facts.get('query') ?? []).map(String)
      await this.#write(`${folder}/found`, foundInIndexes(db, words), (row) => canonical(row))
      return { facts, options }
    } finally {
      db.close()
    }
  }

  #write<T>(name: string, entries: Iterable<T> | AsyncIterable<T>, toText: (entry: T) => string): Promise<void> {
    return writeList(join(this.#out, `${name}.json`), entries, toText)
  }
}

/** Names events by kind and time: other than ids and UUIDs, these stay if there is one event more. */
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

/** Records a history below a folder, which must not exist. */
export async function recordHistory(history: History, out: string, say: (what: string) => void): Promise<void> {
  using folder = makeTempFolder('aspy-answers-')
  await new HistoryRecorder(history, folder.path, out).record(say)
}
