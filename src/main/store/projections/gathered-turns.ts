import type { AnyEvent } from '../../../shared/event.ts'
import { isOwnDeed } from '../../../shared/own-deed.ts'
import { columnsOf, defaultsOf, type RowOf } from '../schema/define-table.ts'
import { TABLES } from '../tables.ts'
import type { Fact } from './fact.ts'
import { addSpent } from '../../../shared/spend.ts'

/** A transaction's additions to one turn. Counts may be negative: a later sighting can correct an earlier usage. */
export type GatheredTurn = RowOf<typeof TABLES.turns>

/** The columns that are added up: numbers, after the three times. */
const SUMS = columnsOf(TABLES.turns).slice(6)

/** SQL that adds the counts of a second row for the same turn. */
export const addToTurn = `ON CONFLICT (session_id, turn_id) DO UPDATE SET prompt_uuid = coalesce(prompt_uuid, excluded.prompt_uuid),
         started_at = min(started_at, excluded.started_at), last_event_at = max(last_event_at, excluded.last_event_at),
         ended_at = max(coalesce(ended_at, excluded.ended_at), coalesce(excluded.ended_at, ended_at)),
         ${SUMS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`

/** Sums events by turn until they are written. */
export class GatheredTurns {
  readonly #turns = new Map<string, GatheredTurn>()

  /** Returns the sums collected for an event's turn. */
  of(event: AnyEvent): GatheredTurn {
    const { session_id, turn_id, ts_wall } = event
    const key = `${turn_id} ${session_id}`
    const known = this.#turns.get(key)
    if (known) return known
    const times = { started_at: ts_wall, last_event_at: isResume(event) ? '' : ts_wall }
    const turn = { ...defaultsOf(TABLES.turns), session_id, turn_id, ...times }
    this.#turns.set(key, turn)
    return turn
  }

  count(event: AnyEvent): void {
    const turn = this.of(event)
    turn.events += 1
    if (event.ts_wall < turn.started_at) turn.started_at = event.ts_wall
    if (event.ts_wall > turn.last_event_at && !isOwnDeed(event) && !isResume(event)) turn.last_event_at = event.ts_wall
    if (event.kind === 'user_prompt') turn.prompt_uuid ??= event.uuid
    else if (event.kind === 'turn_ended') turn.ended_at = later(turn.ended_at, event.ts_wall)
    else if (event.kind === 'model_request') turn.requests += 1
  }

  /** Notes a later end of an event's turn. */
  end(event: AnyEvent, at: string): void {
    const turn = this.of(event)
    turn.ended_at = later(turn.ended_at, at)
  }

  /** Adds what an event counts as, or with `sign` -1 removes it. */
  add(event: AnyEvent, { counts, usage }: Fact, sign: 1 | -1): void {
    const turn = this.of(event)
    turn.tool_calls += sign * counts.tool_calls
    turn.errors += sign * counts.errors
    turn.api_errors += sign * counts.api_errors
    turn.failed_tools += sign * counts.failed_tools
    if (usage === null) return
    turn.calls += sign
    turn.tokens += sign * usage.tokens
    addSpent(turn, usage.cost_usd, sign)
  }

  /** Returns the collected sums and starts over. */
  take(): readonly GatheredTurn[] {
    const turns = [...this.#turns.values()]
    this.#turns.clear()
    return turns
  }
}

/** True for a start of a session that is recorded with the turn before it, which it does not prolong. */
const isResume = ({ kind, turn_id }: AnyEvent): boolean => kind === 'session_started' && turn_id > 0

const later = (a: string | null, b: string): string => (a !== null && a > b ? a : b)
