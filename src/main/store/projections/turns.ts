import type { AnyEvent } from '../../../shared/event.ts'
import { isTakenBack } from '../identity/settled.ts'
import { GatheredTurns } from './gathered-turns.ts'
import { addToTurn, defineJoinedTurns, JoinedTurns } from './joined-turns.ts'
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
    defineJoinedTurns(t),
  ],
  open({ prepare, tables: t }) {
    const upsert = prepare(
      `INSERT INTO ${t.turns} (session_id, turn_id, prompt_uuid, started_at, last_event_at, ended_at, events, requests, tool_calls,
         errors, calls, tokens, cost_usd, unpriced_calls, api_errors, failed_tools)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ${addToTurn}`,
    )
    const joined = new JoinedTurns(prepare, t)
    const gathered = new GatheredTurns()
    const inTurn = <E extends AnyEvent>(event: E): E => {
      const turn_id = joined.turnOf(event)
      return turn_id === event.turn_id ? event : { ...event, turn_id }
    }
    const flush = () => {
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
    }
    return {
      apply(event) {
        gathered.count(inTurn(event))
      },
      applySighting(event, sighting, before) {
        if (event.kind === 'user_prompt' && isTakenBack([sighting]) && !isTakenBack(before)) {
          flush()
          joined.join(event)
        }
      },
      change(event, was, is) {
        // A turn's row goes with its session.
        if (is === null) return
        const counted = inTurn(event)
        if (was !== null) gathered.add(counted, was, -1)
        gathered.add(counted, is, 1)
      },
      flush,
      discard() {
        gathered.take()
        joined.discard()
      },
    }
  },
}
