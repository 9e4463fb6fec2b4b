import type { Reader } from './reader.ts'

/** SQL for the turn that a row belongs to; `row` is its table's alias. */
export const sqlTurnOf = (row: string): string =>
  `coalesce((SELECT j.part_of FROM joined_turns j WHERE j.session_id = ${row}.session_id AND j.turn_id = ${row}.turn_id), ${row}.turn_id)`

/** Returns the numbers that belong to a turn: its own first, then those of turns that were joined to it. */
export function numbersOfTurn(reader: Reader, sessionId: string, turn: number): readonly [number, ...number[]] {
  const [joined] = reader.all<{ part_of: number }>(
    'SELECT part_of FROM joined_turns WHERE session_id = ? AND turn_id = ?',
    sessionId,
    turn,
  )
  const own = joined?.part_of ?? turn
  const others = reader.all<{ turn_id: number }>(
    'SELECT turn_id FROM joined_turns WHERE session_id = ? AND part_of = ? ORDER BY turn_id',
    sessionId,
    own,
  )
  return [own, ...others.map(({ turn_id: number }) => number)]
}

/** Returns the numbers of a session that are part of another turn. */
export const joinedTurns = (reader: Reader, sessionId: string): number[] =>
  reader
    .all<{ turn_id: number }>('SELECT turn_id FROM joined_turns WHERE session_id = ? ORDER BY turn_id', sessionId)
    .map(({ turn_id: number }) => number)
