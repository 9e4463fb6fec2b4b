import { z } from 'zod'
import { EVENT_SOURCES } from '../event.ts'
import { event } from './events.ts'
import { cursor, limit, list, sessionId } from './fields.ts'
import { operation } from './operation.ts'

export const sessionDelete = operation({
  name: 'sessions.delete',
  summary: 'Delete a session permanently: its events, texts, index entries and log file. Imports do not bring it back.',
  place: 'recorder',
  writes: true,
  input: z.object({ session_id: sessionId }),
  output: z.object({
    session_id: z.string(),
    events: z.number(),
    /** Number of sightings of its own events, and of its sightings of other sessions' events. */
    sightings: z.number(),
  }),
})

/** One session, or several that share one deletion. */
const sessions = z
  .object({
    ids: z.array(sessionId).min(1).max(10_000, 'at most 10,000 sessions at once').optional(),
    session_id: sessionId.optional(),
  })
  .refine(({ ids, session_id }) => (ids === undefined) !== (session_id === undefined), 'give either ids or session_id')

export const sessionDeleteSoon = operation({
  name: 'sessions.delete_soon',
  summary:
    'Delete sessions permanently in a minute, or ten seconds after sessions.undo_shown. They leave lists and searches at once. Until then, sessions.undo_delete brings them back.',
  place: 'recorder',
  writes: true,
  input: sessions,
  output: z.object({
    /** Number of sessions to delete. Those that do not exist are left out. */
    sessions: z.number(),
    /** When the deletion begins. If the app is not running then, it begins at the next start. */
    undo_until: z.string(),
  }),
})

export const sessionUndoShown = operation({
  name: 'sessions.undo_shown',
  summary:
    'Report that a person sees the undo of sessions.delete_soon: from the first report on, ten seconds are left.',
  place: 'recorder',
  writes: true,
  input: sessions,
  output: z.object({ deletions: z.number() }),
})

export const sessionUndoDelete = operation({
  name: 'sessions.undo_delete',
  summary:
    'Undo sessions.delete_soon: keep the sessions, with what was recorded since. Fails once the deletion has begun.',
  place: 'recorder',
  writes: true,
  input: sessions,
  output: z.object({ sessions: z.number() }),
})

export const sessionDeletions = operation({
  name: 'sessions.deletions',
  summary: 'Deletions that can still be undone, and the progress of those that have begun.',
  output: z.object({
    /** A deletion requested by sessions.delete_soon. An item disappears when its text is overwritten. */
    items: z.array(
      z.object({
        /** The sessions that sessions.undo_delete can bring back; none once the deletion has begun. */
        ids: z.array(z.string()),
        sessions: z.number(),
        sessions_deleted: z.number(),
        /** When the deletion begins; null once it has. */
        undo_until: z.string().nullable(),
        /** sessions.undo_shown was called. */
        is_seen: z.boolean(),
      }),
    ),
    /** Large sessions that are partly deleted. */
    deleting: z.array(z.object({ session_id: z.string(), events_deleted: z.number() })),
  }),
})

export const sessionFootprint = operation({
  name: 'sessions.footprint',
  summary: 'What deleting a session would remove: its events, and their size before compression.',
  input: z.object({ session_id: sessionId }),
  output: z.object({
    session_id: z.string(),
    title: z.string().nullable(),
    events: z.number(),
    bytes: z.number(),
    /** Paths of older copies of the database that Aspy kept, such as before a restore: a deletion removes them, too. */
    copies: z.array(z.string()),
    /** Other sessions that hold texts of it, which stay there: forks, those that go on from it, and results of tools that name it. */
    quoted_by: z.array(z.string()),
    /** Paths of the files in which its client keeps it, which stay. */
    transcripts: z.array(z.string()),
  }),
})

export const storeBackup = operation({
  name: 'store.backup',
  summary: 'Copy the database and everything needed to restore it to one file while the app runs.',
  place: 'recorder',
  answer: 'stream',
  writes: true,
  input: z.object({ path: z.string().min(1).max(4096) }),
  output: z.object({
    path: z.string(),
    pages: z.number(),
    pages_done: z.number(),
    /** Size of the finished file. */
    bytes: z.number(),
    done: z.boolean(),
  }),
})

/** Everything that the log knows about an event. */
export const exportedEvent = z.object({
  event: event.omit({ id: true }),
  keys: z.array(z.string()),
  parent_keys: z.array(z.tuple([z.string(), z.number()])),
  sightings: z.array(
    z.object({
      source: z.enum(EVENT_SOURCES),
      session_id: z.string(),
      seen_at: z.string(),
      payload: z.looseObject({}).nullable(),
    }),
  ),
  contents: z.record(z.string(), z.string()),
})

export const eventsExport = operation({
  name: 'events.export',
  summary: 'Events with everything the log knows about them, page by page, for `store.import` elsewhere.',
  input: z.object({ session_id: sessionId.optional(), limit: limit(200, 1000), cursor: cursor.optional() }),
  output: list(exportedEvent),
})

/** A priced answer, as a row of `api_usage`. */
const usageRow = z.object({
  uuid: z.string(),
  session_id: z.string(),
  turn_id: z.number(),
  agent_id: z.string().nullable(),
  timestamp: z.string(),
  model: z.string(),
  request_kind: z.string().nullable(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  /** Part of the output; null if not reported. */
  thinking_tokens: z.number().nullable(),
  cache_read_tokens: z.number(),
  cache_creation_tokens: z.number(),
  /** The part of cache_creation_tokens that is kept for an hour. */
  cache_creation_1h_tokens: z.number(),
  web_search_requests: z.number(),
  /** null if the model has no price. */
  cost_usd: z.number().nullable(),
  price_basis: z.string().nullable(),
  basis: z.string(),
  service_tier: z.string().nullable(),
  speed: z.string().nullable(),
  inference_geo: z.string().nullable(),
  ttft_ms: z.number().nullable(),
  duration_ms: z.number().nullable(),
})
export type UsageRow = z.infer<typeof usageRow>

export const usageExport = operation({
  name: 'usage.export',
  summary: 'Tokens and cost of each answer of a session, in the order of its turns.',
  input: z.object({ session_id: sessionId, limit: limit(500, 1000), cursor: cursor.optional() }),
  output: list(usageRow),
})

export const storeImport = operation({
  name: 'store.import',
  summary: 'Import a file written by `aspy export` or the session log. Nothing is imported twice.',
  place: 'recorder',
  answer: 'stream',
  writes: true,
  input: z.object({ path: z.string().min(1).max(4096) }),
  output: z.object({
    bytes: z.number(),
    bytes_done: z.number(),
    events_added: z.number(),
    events_known: z.number(),
    /** Left out, because their session was deleted. */
    events_deleted: z.number(),
    /** Items that people made: labels, memories, saved searches, deletions. */
    made: z.number(),
    /** Left out, because their session or event is not recorded here; or a deletion, because its session is. */
    made_left_out: z.number(),
    lines_bad: z.number(),
    done: z.boolean(),
  }),
})

export const storeCheck = operation({
  name: 'store.check',
  summary: 'Check the database for damage. Reads all of it.',
  output: z.object({
    /** Damaged pages and tables. */
    damage: z.array(z.string()),
    /** Full-text indexes that do not match their tables. A rebuild repairs them. */
    full_text: z.array(z.string()),
  }),
})

export const storeVacuum = operation({
  name: 'store.vacuum',
  summary: 'Rewrite the database file, so that no unused byte of it holds deleted or redacted text.',
  place: 'recorder',
  writes: true,
  output: z.object({ bytes_before: z.number(), bytes_after: z.number() }),
})

export const storeRebuild = operation({
  name: 'store.rebuild',
  summary: 'Rebuild derived tables from the event log while the app runs.',
  place: 'recorder',
  answer: 'stream',
  writes: true,
  input: z.object({ only: z.array(z.string().min(1).max(60)).min(1).max(100).optional() }),
  output: z.object({ projections: z.number(), events: z.number(), events_done: z.number(), done: z.boolean() }),
})
