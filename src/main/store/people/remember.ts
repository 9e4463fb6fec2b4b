import type { z } from 'zod'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { memoryAdd } from '../../../shared/contract/people.ts'
import type { WritableDb } from '../database/connection.ts'

/** Marks events as memories, and events that confirm them. `moment` returns the current time, ISO 8601. */
export function createRemember(
  db: WritableDb,
  moment: () => string,
): (input: z.output<typeof memoryAdd.input>) => void {
  const sessionOf = db.prepare<[string], string>('SELECT session_id FROM events WHERE uuid = ?').pluck()
  const known = db.prepare<[string], number>('SELECT 1 FROM memories WHERE event_uuid = ?').pluck()
  const insert = db.prepare<(string | number | null)[]>(
    `INSERT INTO memories (event_uuid, session_id, fact, category, confidence, source, note, first_confirmed_at,
       last_confirmed_at, created_at)
     VALUES (?, ?, coalesce(?, ''), coalesce(?, 'fact'), coalesce(?, 1.0), coalesce(?, 'person'), ?, ?, ?, ?)`,
  )
  const confirm = db.prepare<(string | number | null)[]>(
    `UPDATE memories SET fact = coalesce(?, fact), category = coalesce(?, category), confidence = coalesce(?, confidence),
       source = coalesce(?, source), note = coalesce(?, note), last_confirmed_at = max(last_confirmed_at, ?)
     WHERE event_uuid = ?`,
  )
  const addEvidence = db.prepare<[string, string, string, string]>(
    'INSERT INTO memory_evidence (memory_uuid, event_uuid, session_id, added_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const run = db.transaction((input: z.output<typeof memoryAdd.input>) => {
    const { uuid, confirms, fact, category, confidence, source, note } = input
    const session = sessionOf.get(uuid)
    if (session === undefined) throw new AspyError('not_found', `there is no event ${uuid}`)
    const memory = confirms ?? uuid
    const now = moment()
    const values = [fact ?? null, category ?? null, confidence ?? null, source ?? null, note?.trim() || null]
    if (known.get(memory) === undefined) {
      if (confirms !== undefined) throw new AspyError('not_found', `${confirms} is not remembered`)
      insert.run(uuid, session, ...values, now, now, now)
      return
    }
    if (memory !== uuid) addEvidence.run(memory, uuid, session, now)
    confirm.run(...values, now, memory)
  })
  return (input) => run.immediate(input)
}
