import type { AnyEvent } from '../../../shared/event.ts'
import type { TableNames } from '../tables.ts'
import type { ProjectionContext } from './projection.ts'

const COLUMNS =
  'started_at, last_event_at, ended_at, events, requests, tool_calls, errors, calls, tokens, cost_usd, unpriced_calls, ' +
  'api_errors, failed_tools'

/** SQL that adds the counts of a second row for the same turn. */
export const addToTurn = `ON CONFLICT (session_id, turn_id) DO UPDATE SET prompt_uuid = coalesce(prompt_uuid, excluded.prompt_uuid),
         started_at = min(started_at, excluded.started_at), last_event_at = max(last_event_at, excluded.last_event_at),
         ended_at = max(coalesce(ended_at, excluded.ended_at), coalesce(excluded.ended_at, ended_at)),
         events = events + excluded.events, requests = requests + excluded.requests,
         tool_calls = tool_calls + excluded.tool_calls, errors = errors + excluded.errors,
         calls = calls + excluded.calls, tokens = tokens + excluded.tokens, cost_usd = cost_usd + excluded.cost_usd,
         unpriced_calls = unpriced_calls + excluded.unpriced_calls, api_errors = api_errors + excluded.api_errors,
         failed_tools = failed_tools + excluded.failed_tools`

/** The table of turns that are part of an earlier one, because the client itself wrote what began them. */
export const defineJoinedTurns = (t: TableNames): string => `CREATE TABLE ${t.joined_turns} (
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  part_of    INTEGER NOT NULL, -- the turn that went on
  PRIMARY KEY (session_id, turn_id)
) STRICT, WITHOUT ROWID`

/** Joins turns whose prompt was taken back to the turn that went on. Numbers in the log stay as they are. */
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
    // Turns get their numbers in order, so those before it are known by now. Turn 0 has what came before the first prompt.
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
      `INSERT INTO ${t.turns} (session_id, turn_id, prompt_uuid, ${COLUMNS})
       SELECT session_id, ?, NULL, ${COLUMNS} FROM ${t.turns} WHERE session_id = ? AND turn_id = ? ${addToTurn}`,
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
