import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readState, writeState } from '../base/state-file.ts'

/**
 * A sink's position in the log. The log itself is the queue, so that events redacted or deleted in the meantime are never sent, and
 * no event is stored a second time.
 */
const cursor = z.object({
  /** Id of the log. In another log, the sink starts over. */
  log: z.string(),
  /** Events up to this position were delivered, skipped or dropped. */
  id: z.int().min(0),
  /** Events before this time are history and are not sent. */
  since: z.string(),
  /** Totals over all runs, by reason. */
  dropped: z.record(z.string(), z.number()),
  /** The delivery in progress. It keeps its id and its events over all retries. */
  pending: z.object({ delivery: z.string(), up_to: z.int() }).nullable(),
  /** Turns seen but not sent yet, and the first event to send. */
  turns: z.array(z.object({ session_id: z.string(), turn_id: z.int(), from: z.int() })),
})
export type Cursor = z.output<typeof cursor>

export type SinkName = 'webhook' | 'otel'

const fileOf = (dataDir: string, sink: SinkName) => join(dataDir, 'outbox', `${sink}.json`)

/** Returns null if the sink has no valid cursor. Throws file system errors. */
export const readCursor = (dataDir: string, sink: SinkName): Cursor | null => readState(fileOf(dataDir, sink), cursor)

/** Replaces the file atomically. Throws file system errors. */
export const writeCursor = (dataDir: string, sink: SinkName, value: Cursor): void =>
  writeState(fileOf(dataDir, sink), value)

/** Deletes the cursor of a sink that is off, so that events in the meantime are never sent. */
export function deleteCursor(dataDir: string, sink: SinkName): void {
  rmSync(fileOf(dataDir, sink), { force: true })
}
