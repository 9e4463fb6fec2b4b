import { z } from 'zod'
import { cursor, limit, list, moment, sessionId } from './fields.ts'
import { operation } from './operation.ts'

const counts = {
  /** Events whose payloads moved to an archive. */
  events_moved: z.number(),
  /** Of JSON, before compression. */
  bytes_moved: z.number(),
  /** Archives whose time was over. */
  archives_removed: z.number(),
  /** Sessions that age deleted. */
  sessions_forgotten: z.number(),
}

const archiveProgress = z.object({ ...counts, done: z.boolean() })
export type ArchiveProgress = z.infer<typeof archiveProgress>

export const storeArchive = operation({
  name: 'store.archive',
  summary:
    'Do now what runs once a day: move old payloads to archives, remove archives and sessions whose time is over.',
  place: 'recorder',
  answer: 'stream',
  writes: true,
  input: z.object({}),
  output: archiveProgress,
})

export const storeArchives = operation({
  name: 'store.archives',
  summary: 'The archives, and what the last run of archiving moved.',
  input: z.object({}),
  output: z.object({
    /** null: there was none. */
    last_run: z.object({ at: z.string(), ...counts }).nullable(),
    items: z.array(
      z.object({
        month: z.string(),
        /** Its file in the archive folder. */
        file: z.string(),
        /** Compressed. */
        bytes: z.number(),
        archived_at: z.string(),
      }),
    ),
  }),
})

export const searchArchives = operation({
  name: 'store.search_archives',
  summary:
    'Search tool calls and results that lie in archives, newest month first: those that hold all words. Reads the files.',
  input: z.object({
    query: z.string().trim().min(1).max(500),
    session_id: sessionId.optional(),
    project: z.string().max(4096).optional(),
    since: moment.optional(),
    until: moment.optional(),
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
      /** What stands around the first word. */
      content: z.string(),
    }),
  ),
})
