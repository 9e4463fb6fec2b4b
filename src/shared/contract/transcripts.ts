import { z } from 'zod'
import { operation } from './operation.ts'

export const transcriptsFind = operation({
  name: 'transcripts.find',
  summary: 'Number and size of the transcripts on this machine. Does not read them.',
  place: 'main',
  output: z.object({
    folders: z.array(z.object({ path: z.string(), files: z.number(), bytes: z.number() })),
    files: z.number(),
    bytes: z.number(),
    /** Files except those of subagents. */
    sessions: z.number(),
    /** Imported and unchanged since. */
    imported_files: z.number(),
    /** Sessions whose files the client deletes within a week, and those of them that are not imported as they are. */
    deleted_soon: z.number(),
    deleted_soon_new: z.number(),
    /** Not imported yet. */
    new_bytes: z.number(),
    /** Estimated seconds to import these. */
    estimate_s: z.number(),
    /** Tool results stored outside their transcripts because of their length. They are not imported. */
    spilled_files: z.number(),
    spilled_bytes: z.number(),
    /** Prompt histories (`history.jsonl`), which outlive transcripts. */
    prompt_histories: z.number(),
    /** Folders and files that could not be read. */
    unreadable: z.number(),
    /** True if new lines are imported as they are written. */
    following: z.boolean(),
  }),
})

const progress = z.object({
  files: z.number(),
  files_done: z.number(),
  /** Number of finished files without new lines. */
  files_unchanged: z.number(),
  /** Those of them that are left out, because their session was deleted. */
  files_deleted: z.number(),
  /** Number of sessions with newly read lines. */
  sessions: z.number(),
  /** The file under way, with its folder; null if none is. */
  file: z.string().nullable(),
  bytes: z.number(),
  bytes_done: z.number(),
  lines: z.number(),
  events_added: z.number(),
  sightings_added: z.number(),
  /** Left out, because their session was deleted. */
  events_deleted: z.number(),
  lines_bad: z.number(),
  /** Files in the folders that look like transcripts by their names, but are of another program, or renamed copies. */
  files_passed_over: z.number(),
  /** The paths of the first of them. */
  passed_over: z.array(z.string()),
  /** True while files are scanned for their figures: lists and costs show these until the files are read whole. */
  previewing: z.boolean(),
  bytes_previewed: z.number(),
  /** Texts since then can be found; files last modified before that are not read yet. null: no file is left. */
  search_covers_since: z.string().nullable(),
  done: z.boolean(),
})

export const transcriptsImport = operation({
  name: 'transcripts.import',
  summary: 'Import transcripts: the given files or folders, or all that were found. Reads nothing else.',
  place: 'main',
  answer: 'stream',
  writes: true,
  input: z.object({
    /** Default: everything that transcripts.find finds. */
    paths: z.array(z.string().min(1).max(4096)).min(1).max(1000).optional(),
  }),
  output: progress,
})

/** The app's own import: the answer of the three operations on it. */
const importStatus = z.object({
  state: z.enum(['idle', 'running', 'done', 'stopped', 'failed']),
  /**
   * Progress of the current run; null before it is known. Its counts start over when a restart continues the import.
   */
  progress: progress.nullable(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  /** The totals, over restarts too. */
  sessions: z.number(),
  events_added: z.number(),
  worked_ms: z.number(),
  /** Why it failed. */
  error: z.string().nullable(),
})

export const transcriptsStart = operation({
  name: 'transcripts.start',
  summary: 'Import all transcripts that are found as a job of the app, which continues after a restart.',
  place: 'main',
  writes: true,
  output: importStatus,
})

export const transcriptsStop = operation({
  name: 'transcripts.stop',
  summary: "Stop the app's import. What was read is kept, and the next import continues there.",
  place: 'main',
  writes: true,
  output: importStatus,
})

export const transcriptsStatus = operation({
  name: 'transcripts.status',
  summary: "State and progress of the app's import, or of the last one since the app started.",
  place: 'main',
  output: importStatus,
})

export const transcriptsRunning = operation({
  name: 'transcripts.running',
  summary: 'Claude Code sessions running on this machine, and whether their traffic passes through Aspy.',
  output: z.object({
    items: z.array(
      z.object({
        session_id: z.string(),
        pid: z.number(),
        project: z.string().nullable(),
        started_at: z.string().nullable(),
        version: z.string().nullable(),
        captured: z.boolean(),
      }),
    ),
  }),
})
