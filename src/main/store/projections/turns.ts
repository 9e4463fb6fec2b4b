import type { AnyEvent, AspyEvent } from '../../../shared/event.ts'
import { isTakenBack } from '../identity/settled.ts'
import type { Sighting } from '../log/log.ts'
import { changeOfFailures, failuresOf, type Failures } from './failures.ts'
import type { Projection } from './projection.ts'

interface Gathered {
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

/** Turns: from when to when, what was done in them and what it cost; gathered over a transaction, written once. */
export const turns: Projection = {
  name: 'turns',
  define: (t) => [
    `CREATE TABLE ${t.turns} (
  session_id     TEXT    NOT NULL,
  turn_id        INTEGER NOT NULL,
  prompt_uuid    TEXT,
  started_at     TEXT    NOT NULL,
  last_event_at  TEXT    NOT NULL,
  ended_at       TEXT,             -- the last word that it is over; null: none came
  events         INTEGER NOT NULL DEFAULT 0,
  requests       INTEGER NOT NULL DEFAULT 0,
  tool_calls     INTEGER NOT NULL DEFAULT 0,
  errors         INTEGER NOT NULL DEFAULT 0,
  calls          INTEGER NOT NULL DEFAULT 0, -- responses with usage
  tokens         INTEGER NOT NULL DEFAULT 0,
  cost_usd       REAL    NOT NULL DEFAULT 0,
  unpriced_calls INTEGER NOT NULL DEFAULT 0, api_errors INTEGER NOT NULL DEFAULT 0, failed_tools INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session_id, turn_id)
) STRICT, WITHOUT ROWID`,
  ],
  open({ prepare, tables: t, usageFacts }) {
    const upsert = prepare(
      `INSERT INTO ${t.turns} (session_id, turn_id, prompt_uuid, started_at, last_event_at, ended_at, events, requests, tool_calls,
         errors, calls, tokens, cost_usd, unpriced_calls, api_errors, failed_tools)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (session_id, turn_id) DO UPDATE SET prompt_uuid = coalesce(prompt_uuid, excluded.prompt_uuid),
         started_at = min(started_at, excluded.started_at), last_event_at = max(last_event_at, excluded.last_event_at),
         ended_at = max(coalesce(ended_at, excluded.ended_at), coalesce(excluded.ended_at, ended_at)),
         events = events + excluded.events, requests = requests + excluded.requests,
         tool_calls = tool_calls + excluded.tool_calls, errors = errors + excluded.errors,
         calls = calls + excluded.calls, tokens = tokens + excluded.tokens, cost_usd = cost_usd + excluded.cost_usd,
         unpriced_calls = unpriced_calls + excluded.unpriced_calls, api_errors = api_errors + excluded.api_errors,
         failed_tools = failed_tools + excluded.failed_tools`,
    )
    const forgetPrompt = prepare<[string, number, string]>(
      'UPDATE turns SET prompt_uuid = NULL WHERE session_id = ? AND turn_id = ? AND prompt_uuid = ?',
    )
    const gathered = new Map<string, Gathered>()

    const turnOf = ({ session_id, turn_id, ts_wall }: AnyEvent): Gathered => {
      const key = `${turn_id} ${session_id}`
      const known = gathered.get(key)
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
      gathered.set(key, turn)
      return turn
    }
    const addUsage = (event: AspyEvent<'api_usage'>, sightings: readonly Sighting[], sign: 1 | -1) => {
      const facts = usageFacts(event, sightings)
      if (!facts) return
      const turn = turnOf(event as AnyEvent)
      turn.calls += sign
      turn.tokens += sign * facts.tokens
      turn.costUsd += sign * (facts.cost_usd ?? 0)
      if (facts.cost_usd === null) turn.unpriced += sign
    }

    return {
      apply(event) {
        const turn = turnOf(event)
        turn.events += 1
        if (event.ts_wall < turn.startedAt) turn.startedAt = event.ts_wall
        if (event.ts_wall > turn.lastAt) turn.lastAt = event.ts_wall
        if (event.kind === 'user_prompt') turn.prompt ??= event.uuid
        else if (event.kind === 'turn_ended') turn.endedAt = later(turn.endedAt, event.ts_wall)
        else if (event.kind === 'model_request') turn.requests += 1
        else if (event.kind === 'tool_call') turn.toolCalls += 1
        else if (event.kind === 'error') turn.errors += 1
        else if (event.kind === 'api_usage') addUsage(event, [], 1)
        addFailures(turn, failuresOf(event))
      },
      applySighting(event, sighting, before) {
        if (event.kind === 'user_prompt' && isTakenBack([sighting])) {
          const turn = turnOf(event)
          if (turn.prompt === event.uuid) turn.prompt = null
          forgetPrompt.run(event.session_id, event.turn_id, event.uuid)
        }
        const change = changeOfFailures(event, sighting, before)
        if (change !== null) addFailures(turnOf(event), change)
        if (event.kind !== 'api_usage' || sighting.payload === null) return
        addUsage(event, before, -1)
        addUsage(event, [...before, sighting], 1)
      },
      loseSightings(event, before, after) {
        if (event.kind !== 'api_usage') return
        addUsage(event, before, -1)
        addUsage(event, after, 1)
      },
      flush() {
        for (const turn of gathered.values()) {
          upsert.run(
            turn.session,
            turn.number,
            turn.prompt,
            turn.startedAt,
            turn.lastAt,
            turn.endedAt,
            turn.events,
            turn.requests,
            turn.toolCalls,
            turn.errors,
            turn.calls,
            turn.tokens,
            turn.costUsd,
            turn.unpriced,
            turn.apiErrors,
            turn.failedTools,
          )
        }
        gathered.clear()
      },
      discard: () => gathered.clear(),
    }
  },
}

function addFailures(turn: Gathered, { api_errors, failed_tools }: Failures): void {
  turn.apiErrors += api_errors
  turn.failedTools += failed_tools
}

const later = (a: string | null, b: string): string => (a !== null && a > b ? a : b)
