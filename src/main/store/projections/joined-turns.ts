import type { AnyEvent } from '../../../shared/event.ts'
import { addToTurn } from './gathered-turns.ts'
import { columnsOf } from '../schema/define-table.ts'
import { TABLES, type TableNames } from '../tables.ts'
import type { ProjectionContext } from './projection.ts'

const COLUMNS = columnsOf(TABLES.turns).slice(3)

/** Joins turns whose prompt was withdrawn to the turn that continued. Numbers in the log do not change. */
export class JoinedTurns {
  readonly #statements: ReturnType<typeof prepareStatements>
  /** Almost no store has any. null: not looked yet. */
  #isAny: boolean | null = null

  constructor(prepare: ProjectionContext['prepare'], t: TableNames) {
    this.#statements = prepareStatements(prepare, t)
  }

  /** Returns the turn that an event counts in. */
  turnOf({ session_id, turn_id }: Pick<AnyEvent, 'session_id' | 'turn_id'>): number {
    this.#isAny ??= this.#statements.any.get() !== undefined
    return this.#isAny ? (this.#statements.partOf.get(session_id, turn_id) ?? turn_id) : turn_id
  }

  /** Adds a turn's row to the turn before it. All counts of the turn must have been written. */
  join({ session_id, turn_id }: Pick<AnyEvent, 'session_id' | 'turn_id'>): void {
    const { before, move, remove, insert, follow } = this.#statements
    // Turns get their numbers in order, so earlier ones are already known. Turn 0 has the events before the first
    // prompt.
    const part = before.get(session_id, turn_id) ?? 0
    move.run(part, session_id, turn_id)
    remove.run(session_id, turn_id)
    follow.run(part, session_id, turn_id)
    insert.run(session_id, turn_id, part)
    this.#isAny = true
  }

  discard(): void {
    this.#isAny = null
  }
}

function prepareStatements(prepare: ProjectionContext['prepare'], t: TableNames) {
  return {
    any: prepare<[], number>(`SELECT 1 FROM ${t.joined_turns} LIMIT 1`).pluck(),
    partOf: prepare<[string, number], number>(
      `SELECT part_of FROM ${t.joined_turns} WHERE session_id = ? AND turn_id = ?`,
    ).pluck(),
    before: prepare<[string, number], number | null>(
      `SELECT max(turn_id) FROM ${t.turns} WHERE session_id = ? AND turn_id < ?`,
    ).pluck(),
    move: prepare<[number, string, number]>(
      `INSERT INTO ${t.turns} (session_id, turn_id, prompt_uuid, ${COLUMNS.join(', ')})
       SELECT session_id, ?, NULL, ${COLUMNS.join(', ')} FROM ${t.turns} WHERE session_id = ? AND turn_id = ? ${addToTurn}`,
    ),
    remove: prepare<[string, number]>(`DELETE FROM ${t.turns} WHERE session_id = ? AND turn_id = ?`),
    follow: prepare<[number, string, number]>(
      `UPDATE ${t.joined_turns} SET part_of = ? WHERE session_id = ? AND part_of = ?`,
    ),
    insert: prepare<[string, number, number]>(
      `INSERT INTO ${t.joined_turns} (session_id, turn_id, part_of) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
    ),
  }
}
