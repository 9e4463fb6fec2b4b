import type { Payloads, Usage } from '../../../shared/event.ts'
import { contentReader } from '../log/contents.ts'
import { countOf } from '../../decode/usage.ts'
import type { ReadableDb } from '../database/connection.ts'
import { unpackPayload } from '../log/payload.ts'
import { settled } from '../identity/settled.ts'
import type { Projection } from './projection.ts'
import { createTextIndex, defineTextIndex } from './text-index.ts'

/** Origins of answers within the conversation: for them, the tokens read are the context's size. */
const IN_CONVERSATION = new Set<string | null>(['prompt', 'loop', null])

/**
 * Compactions with the summary that replaced the history; `tokens` is the size after it. Sizes that were not reported
 * come from the main agent's answers before and after the compaction.
 */
export const compactions: Projection = {
  name: 'compactions',
  define: (t, own) => [
    ...defineTextIndex({ index: t.compactions_fts, table: t.compactions, name: 'compactions' }, own),
  ],
  open({ prepare, tables: t }) {
    const insert = prepare(
      `INSERT INTO ${t.compactions} (id, event_uuid, session_id, turn_id, timestamp, content, tokens, tokens_before, tokens_after)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    const correct = prepare<[string, number | null, number | null, number | null, number]>(
      `UPDATE ${t.compactions} SET content = ?, tokens = coalesce(?, tokens), tokens_before = coalesce(?, tokens_before),
         tokens_after = coalesce(?, tokens_after) WHERE id = ?`,
    )
    const measure = prepare<[number, number, string, number, string]>(
      `UPDATE ${t.compactions} SET tokens = ?, tokens_after = ?
       WHERE session_id = ? AND tokens_after IS NULL AND id < ? AND timestamp <= ?`,
    )
    // `id < ?`: during a rebuild the log already contains later events.
    const lastUsage = prepare<[string, string, number], string>(
      `SELECT payload FROM events WHERE session_id = ? AND ts_wall <= ? AND id < ? AND kind = 'api_usage' AND agent_id IS NULL
       ORDER BY ts_wall DESC, id DESC LIMIT 1`,
    ).pluck()
    const fetch = contentReader({ prepare } as Pick<ReadableDb, 'prepare'>)
    const contextBefore = (session: string, at: string, id: number): number | null => {
      const payload = lastUsage.get(session, at, id)
      if (payload === undefined) return null
      const usage = unpackPayload(payload, fetch) as unknown as Payloads['api_usage']
      return contextOf(usage.usage)
    }
    const text = createTextIndex(prepare, t.compactions_fts, t.compactions)
    return {
      apply(event) {
        if (event.kind === 'api_usage' && event.agent_id === null && IN_CONVERSATION.has(event.payload.request_kind)) {
          const size = contextOf(event.payload.usage)
          if (size !== null) measure.run(size, size, event.session_id, event.id, event.ts_wall)
        }
        if (event.kind !== 'compaction') return
        const { id, uuid, session_id, turn_id, ts_wall, payload } = event
        const { summary } = payload
        const tokensAfter = countOf(payload.tokens_after)
        const tokensBefore = countOf(payload.tokens_before) ?? contextBefore(session_id, ts_wall, id)
        insert.run(id, uuid, session_id, turn_id, ts_wall, summary, tokensAfter, tokensBefore, tokensAfter)
        text.add(id)
      },
      // The boundary may arrive before the summary, and only the boundary has both sizes.
      applySighting(event, sighting, before) {
        if (event.kind !== 'compaction' || sighting.payload === null) return
        const { summary, tokens_before, tokens_after } = settled(event, [...before, sighting]).payload
        const tokensAfter = countOf(tokens_after)
        text.fill()
        correct.run(summary, tokensAfter, countOf(tokens_before), tokensAfter, event.id)
      },
      index: text.fill,
      discard: text.discard,
    }
  },
}

/** Returns the tokens that the model read; null if none were counted. */
function contextOf(usage: Usage | null | undefined): number | null {
  const counts = [usage?.input_tokens, usage?.cache_read_input_tokens, usage?.cache_creation_input_tokens]
  const size = counts.reduce<number>((sum, count) => sum + (countOf(count) ?? 0), 0)
  return size > 0 ? size : null
}
