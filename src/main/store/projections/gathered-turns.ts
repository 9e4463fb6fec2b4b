import type { AnyEvent } from '../../../shared/event.ts'
import type { Fact } from './fact.ts'

/** What a transaction adds to one turn. Counts may be negative: a later sighting can correct an earlier usage. */
export interface GatheredTurn {
  readonly session: string
  readonly number: number
  prompt: string | null
  startedAt: string
  lastAt: string
  endedAt: string | null
  events: number
  requests: number
  toolCalls: number
  errors: number
  calls: number
  tokens: number
  costUsd: number
  unpriced: number
  apiErrors: number
  failedTools: number
}

/** Sums events by turn until they are written. */
export class GatheredTurns {
  readonly #turns = new Map<string, GatheredTurn>()

  /** Returns what was gathered of an event's turn. */
  of({ session_id, turn_id, ts_wall }: Pick<AnyEvent, 'session_id' | 'turn_id' | 'ts_wall'>): GatheredTurn {
    const key = `${turn_id} ${session_id}`
    const known = this.#turns.get(key)
    if (known) return known
    const turn = {
      session: session_id,
      number: turn_id,
      prompt: null,
      startedAt: ts_wall,
      lastAt: ts_wall,
      endedAt: null,
      events: 0,
      requests: 0,
      toolCalls: 0,
      errors: 0,
      calls: 0,
      tokens: 0,
      costUsd: 0,
      unpriced: 0,
      apiErrors: 0,
      failedTools: 0,
    }
    this.#turns.set(key, turn)
    return turn
  }

  count(event: AnyEvent): void {
    const turn = this.of(event)
    turn.events += 1
    if (event.ts_wall < turn.startedAt) turn.startedAt = event.ts_wall
    if (event.ts_wall > turn.lastAt) turn.lastAt = event.ts_wall
    if (event.kind === 'user_prompt') turn.prompt ??= event.uuid
    else if (event.kind === 'turn_ended') turn.endedAt = later(turn.endedAt, event.ts_wall)
    else if (event.kind === 'model_request') turn.requests += 1
  }

  /** Adds what an event counts as, or with `sign` -1 removes it. */
  add(event: AnyEvent, { counts, usage }: Fact, sign: 1 | -1): void {
    const turn = this.of(event)
    turn.toolCalls += sign * counts.tool_calls
    turn.errors += sign * counts.errors
    turn.apiErrors += sign * counts.api_errors
    turn.failedTools += sign * counts.failed_tools
    if (usage === null) return
    turn.calls += sign
    turn.tokens += sign * usage.tokens
    turn.costUsd += sign * (usage.cost_usd ?? 0)
    if (usage.cost_usd === null) turn.unpriced += sign
  }

  /** Returns what was gathered and begins again. */
  take(): readonly GatheredTurn[] {
    const turns = [...this.#turns.values()]
    this.#turns.clear()
    return turns
  }
}

const later = (a: string | null, b: string): string => (a !== null && a > b ? a : b)
