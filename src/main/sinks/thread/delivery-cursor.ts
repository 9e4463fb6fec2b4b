import type { Reader } from '../../store/read/reader.ts'
import { lastAssignedId, logName, newestBefore } from '../../store/read/outbox.ts'
import { readCursor, writeCursor, type Cursor, type SinkName } from '../cursor-file.ts'

/** A sink's position in the log, saved to disk. */
export type DeliveryCursor = ReturnType<typeof createDeliveryCursor>

/** Moves over unwanted events are saved this often. */
const SAVE_EVERY_MS = 5000

/** Opens a sink's cursor. A sink without one starts at `since`. */
export function createDeliveryCursor(dataDir: string, sink: SinkName, since: string) {
  let cursor = readCursor(dataDir, sink)
  let savedAt = -Infinity
  let isSaved = true

  /** Writes pending changes. Changes lost in a crash only cause repeated deliveries. */
  function save(): void {
    if (isSaved || cursor === null) return
    writeCursor(dataDir, sink, cursor)
    isSaved = true
    savedAt = performance.now()
  }

  function set(next: Cursor): Cursor {
    cursor = next
    isSaved = false
    return next
  }

  return {
    /** Returns the cursor for the current log. A new log is read from its start, without events older than `since`. */
    of(reader: Reader): Cursor {
      const log = logName(reader)
      if (cursor === null) {
        const first = { log, id: newestBefore(reader, since), since, dropped: {}, pending: null, turns: [] }
        set(first)
        save()
        return first
      }
      if (cursor.log === log) {
        const last = lastAssignedId(reader)
        // If a backup was restored, positions after its end are reused.
        return cursor.id <= last ? cursor : set({ ...cursor, id: last, pending: null, turns: [] })
      }
      // A different log: pending deliveries of the old one cannot be found in it.
      return set({ ...cursor, log, id: 0, pending: null, turns: [] })
    },
    /** Changes the cursor. `isSafe` writes it to disk before returning. */
    move(next: Partial<Cursor>, isSafe = false) {
      if (cursor === null) return
      set({ ...cursor, ...next })
      if (isSafe || performance.now() - savedAt > SAVE_EVERY_MS) save()
    },
    drop(reason: string, count: number) {
      if (cursor === null || count <= 0) return
      set({ ...cursor, dropped: { ...cursor.dropped, [reason]: (cursor.dropped[reason] ?? 0) + count } })
    },
    dropped: () => cursor?.dropped ?? {},
    save,
  }
}
