import Database from 'better-sqlite3'
import type { WritableDb } from '../database/connection.ts'
import { migrate } from '../database/migrate.ts'
import type { Pricing } from '../pricing/pricing.ts'
import { assistantResponses } from '../projections/assistant-responses.ts'
import { compactions } from '../projections/compactions.ts'
import { errors } from '../projections/errors.ts'
import { openProjections } from '../projections/projection-set.ts'
import { recallDocs } from '../projections/recall-docs.ts'
import { thinkingBlocks } from '../projections/thinking-blocks.ts'
import { toolCalls } from '../projections/tool-calls.ts'
import { toolResults } from '../projections/tool-results.ts'
import { toolTexts } from '../projections/tool-texts.ts'
import { userPrompts } from '../projections/user-prompts.ts'
import type { RedactedEvent } from './redact-event.ts'

/** Projections with a row an event: the row's words are the event's. */
const WORDED = [
  userPrompts,
  thinkingBlocks,
  assistantResponses,
  compactions,
  toolTexts,
  toolCalls,
  toolResults,
  errors,
  recallDocs,
] as const
const TABLES = [
  'user_prompts',
  'thinking_blocks',
  'assistant_responses',
  'compactions',
  // Goes with the row that it was drawn from, and so is looked at before that is cleared.
  'long_tool_texts',
  'tool_calls',
  'tool_results',
  'errors',
  'recall_docs',
] as const

/**
 * Brings the words in the projections' rows in line with redacted events. Each event is projected once more, into an empty
 * database in memory, and the words of its rows are taken from there: so they are those that a rebuild would give.
 */
export function createRowRedaction(db: WritableDb, pricing: Pricing, hash: (text: string) => string) {
  const scratch = new Database(':memory:') as unknown as WritableDb
  migrate(scratch, ':memory:')
  // Its rows are only looked at: they stand in no index that taking them away again could change.
  for (const name of scratch
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%\\_fts%' ESCAPE '\\'")
    .pluck()
    .all())
    scratch.exec(`DROP TRIGGER ${name}`)
  // The sessions that prompts belong to are not there.
  scratch.pragma('foreign_keys = OFF')
  const projected = openProjections(WORDED, scratch, pricing, hash, db)
  const real = openProjections([recallDocs], db, pricing, hash)
  const tables = TABLES.map((table) => {
    const columns = scratch
      .prepare<[string], string>("SELECT name FROM pragma_table_info(?) WHERE type = 'TEXT' ORDER BY cid")
      .pluck()
      .all(table)
    const select = `SELECT ${columns.join(', ')} FROM ${table} WHERE id = ?`
    return {
      fresh: scratch.prepare<[number], Record<string, string | null>>(select),
      stored: db.prepare<[number], Record<string, string | null>>(select),
      // A text that its row no longer gives stands beside it from now on.
      add:
        table === 'long_tool_texts'
          ? db.prepare<[number, string | null, string | null]>(
              'INSERT INTO long_tool_texts (id, session_id, content) VALUES (?, ?, ?)',
            )
          : null,
      clear: scratch.prepare<[number]>(`DELETE FROM ${table} WHERE id = ?`),
      remove: db.prepare<[number]>(`DELETE FROM ${table} WHERE id = ?`),
      update: new Map(
        columns.map((column) => [
          column,
          db.prepare<[string | null, number]>(`UPDATE ${table} SET ${column} = ? WHERE id = ?`),
        ]),
      ),
    }
  })

  function rewriteRows(id: number): void {
    for (const { fresh, stored, add, clear, remove, update } of tables) {
      const [wanted, found] = [fresh.get(id), stored.get(id)]
      clear.run(id)
      if (found === undefined) {
        if (wanted !== undefined) add?.run(id, wanted['session_id'] ?? null, wanted['content'] ?? null)
        continue
      }
      if (wanted === undefined) remove.run(id)
      else for (const [column, set] of update) if (wanted[column] !== found[column]) set.run(wanted[column] ?? null, id)
    }
  }

  return {
    rewrite(changed: readonly RedactedEvent[]): void {
      for (const { event, sightings } of changed) {
        projected.apply(event)
        for (const [at, sighting] of sightings.entries())
          projected.applySighting(event, sighting, sightings.slice(0, at))
        projected.discard()
        rewriteRows(event.id)
      }
      // When all digests are new, since each row of the index holds those of its neighbours.
      for (const { event } of changed) real.reword(event)
    },
    close: () => scratch.close(),
  }
}
