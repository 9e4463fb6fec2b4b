import { z } from 'zod'
import { cursor, lastMoment, limit, list, moment, sessionId, tz } from './fields.ts'
import { operation } from './operation.ts'

const counts = {
  /** Events whose payloads were moved to an archive. */
  events_moved: z.number(),
  /** Bytes of JSON before compression. */
  bytes_moved: z.number(),
  /** Expired archives. */
  archives_removed: z.number(),
  /** Sessions deleted because of their age. */
  sessions_forgotten: z.number(),
}

const archiveProgress = z.object({ ...counts, done: z.boolean() })
export type ArchiveProgress = z.infer<typeof archiveProgress>

export const storeArchive = operation({
  name: 'store.archive',
  summary: 'Run the daily archiving now: move old payloads to archives, remove expired archives and sessions.',
  place: 'recorder',
  answer: 'stream',
  writes: true,
  output: archiveProgress,
})

export const storeArchives = operation({
  name: 'store.archives',
  summary: 'The archives, and the outcome of the last archiving run.',
  output: z.object({
    /** null: it never ran. */
    last_run: z.object({ at: z.string(), ...counts }).nullable(),
    items: z.array(
      z.object({
        month: z.string(),
        /** Name of its file in the archive folder. */
        file: z.string(),
        /** Compressed size. */
        bytes: z.number(),
        archived_at: z.string(),
      }),
    ),
  }),
})

export const searchArchives = operation({
  name: 'store.search_archives',
  summary: 'Search archived tool calls and results for all words, newest month first. Reads the files.',
  input: z.object({
    query: z.string().trim().min(1).max(500),
    session_id: sessionId.optional(),
    project: z.string().max(4096).optional(),
    since: moment.optional(),
    until: lastMoment.optional(),
    tz,
    limit: limit(20, 200),
    cursor: cursor.optional(),
  }),
  output: list(
    z.object({
      uuid: z.string(),
      session_id: z.string(),
      turn_id: z.number(),
      kind: z.enum(['tool_call', 'tool_result']),
      timestamp: z.string(),
      project: z.string().nullable(),
      /** The text around the first match. */
      content: z.string(),
    }),
  ),
})
