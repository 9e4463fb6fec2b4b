import Database from 'better-sqlite3'
import type { RolloutCount, RolloutTokens } from './independent-rollouts.ts'

interface UsageRow {
  readonly message_id: string | null
  readonly input: number
  readonly cached: number
  readonly output: number
}

/** Reads from a store what `countRollouts` counts. Ids are without Aspy's prefix. */
export function recordedRollouts(path: string): RolloutCount[] {
  const db = new Database(path, { readonly: true })
  try {
    const list = (sql: string, session: string) => db.prepare<[string], string>(sql).pluck().all(session)
    const sessions = db.prepare<[], string>('SELECT id FROM sessions ORDER BY id').pluck().all()
    return sessions.map((session) => {
      const rows = db
        .prepare<[string], UsageRow>(
          `SELECT json_extract(e.payload, '$.message_id') AS message_id, input_tokens + cache_read_tokens + cache_creation_tokens AS input, cache_read_tokens AS cached,
             output_tokens AS output FROM api_usage u JOIN events e ON e.uuid = u.event_uuid
           WHERE u.session_id = ? ORDER BY u.id`,
        )
        .all(session)
      return {
        session: bare(session),
        prompts: list('SELECT content FROM user_prompts WHERE session_id = ? ORDER BY id', session),
        answers: list('SELECT content FROM assistant_responses WHERE session_id = ? ORDER BY id', session),
        calls: list(keysOf('tool_call', 'call'), session).map(withoutSession),
        results: list(keysOf('tool_result', 'result'), session).map(withoutSession),
        responses: new Map(
          rows.flatMap(({ message_id: id, ...tokens }) => (id === null ? [] : [[id, tokens] as const])),
        ),
        total: rows.reduce<RolloutTokens>(
          (sum, row) => ({
            input: sum.input + row.input,
            cached: sum.cached + row.cached,
            output: sum.output + row.output,
          }),
          { input: 0, cached: 0, output: 0 },
        ),
        agents: list(
          "SELECT agent_id FROM events WHERE session_id = ? AND kind = 'agent_started' ORDER BY id",
          session,
        ).map(bare),
        compactions: list("SELECT uuid FROM events WHERE session_id = ? AND kind = 'compaction'", session).length,
      }
    })
  } finally {
    db.close()
  }
}

const bare = (id: string): string => id.replace(/^codex-/, '')

/** Ids of calls that the client ran, from the keys of their events. */
const keysOf = (kind: string, form: string) =>
  `SELECT substr(k.key, ${form.length + 2}) FROM events e JOIN event_keys k ON k.uuid = e.uuid
   WHERE e.session_id = ? AND e.kind = '${kind}' AND k.key LIKE '${form}:%' AND e.payload NOT LIKE '%server_side%' ORDER BY e.id`

/** A short id is a key only together with its session. */
const withoutSession = (id: string): string => id.replace(/^codex-[^:]*:/, '')
