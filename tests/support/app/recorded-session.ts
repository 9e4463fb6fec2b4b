import { join } from 'node:path'
import Database from 'better-sqlite3'
import { until } from '../runner/until.ts'
import type { TestApp } from './start-app.ts'

/** An event as the log has it, its payload whole. */
export interface RecordedEvent {
  readonly id: number
  readonly uuid: string
  readonly session_id: string
  readonly turn_id: number
  readonly agent_id: string | null
  readonly parent_uuid: string | null
  readonly kind: string
  readonly source: string
  readonly success: 0 | 1 | null
  readonly error_message: string | null
  readonly payload: { readonly [name: string]: unknown }
}

/** Reads all events of an app's database, by SQL and the operation for texts that are stored apart. */
export async function recordedEvents(app: TestApp, where = '1 = 1'): Promise<RecordedEvent[]> {
  const db = new Database(join(app.data, 'lifestats.db'), { readonly: true })
  try {
    const rows = db
      .prepare<[], RecordedEvent & { payload: string }>(`SELECT * FROM events WHERE ${where} ORDER BY id`)
      .all()
    return await Promise.all(
      rows.map(async (row) => {
        const payload = JSON.parse(row.payload) as { $content?: string }
        if (payload.$content === undefined) return { ...row, payload }
        return await app.call<RecordedEvent>('events.get', { uuid: row.uuid })
      }),
    )
  } finally {
    db.close()
  }
}

/** Waits until the app has recorded everything that passed. */
export async function settled(app: TestApp): Promise<void> {
  await until('everything is recorded', async () => {
    return (await app.running.health()).queue_bytes === 0
  })
}
