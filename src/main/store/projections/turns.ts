import { isTakenBack } from '../identity/settled.ts'
import { changeOfFailures } from './failures.ts'
import { GatheredTurns } from './gathered-turns.ts'
import type { Projection } from './projection.ts'

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
      `UPDATE ${t.turns} SET prompt_uuid = NULL WHERE session_id = ? AND turn_id = ? AND prompt_uuid = ?`,
    )
    const gathered = new GatheredTurns()
    return {
      apply(event) {
        gathered.count(event)
        if (event.kind === 'api_usage') gathered.addUsage(event, usageFacts(event, []), 1)
      },
      applySighting(event, sighting, before) {
        if (event.kind === 'user_prompt' && isTakenBack([sighting])) {
          const turn = gathered.of(event)
          if (turn.prompt === event.uuid) turn.prompt = null
          forgetPrompt.run(event.session_id, event.turn_id, event.uuid)
        }
        const change = changeOfFailures(event, sighting, before)
        if (change !== null) gathered.addFailures(event, change)
        if (event.kind !== 'api_usage' || sighting.payload === null) return
        gathered.addUsage(event, usageFacts(event, before), -1)
        gathered.addUsage(event, usageFacts(event, [...before, sighting]), 1)
      },
      loseSightings(event, before, after) {
        if (event.kind !== 'api_usage') return
        gathered.addUsage(event, usageFacts(event, before), -1)
        gathered.addUsage(event, usageFacts(event, after), 1)
      },
      flush() {
        for (const turn of gathered.take()) {
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
      },
      discard: () => void gathered.take(),
    }
  },
}
