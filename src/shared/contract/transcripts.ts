import { z } from 'zod'
import { operation } from './operation.ts'

export const transcriptsFind = operation({
  name: 'transcripts.find',
  summary: 'Number and size of the transcripts on this machine. Does not read them.',
  place: 'main',
  input: z.object({}),
  output: z.object({
    folders: z.array(z.object({ path: z.string(), files: z.number(), bytes: z.number() })),
    files: z.number(),
    bytes: z.number(),
    /** Files except those of subagents. */
    sessions: z.number(),
    /** Imported and unchanged since. */
    imported_files: z.number(),
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
    /** New lines are imported as they are written. */
    following: z.boolean(),
  }),
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
  output: z.object({
    files: z.number(),
    files_done: z.number(),
    /** Files of those done that had nothing new. */
    files_unchanged: z.number(),
    bytes: z.number(),
    bytes_done: z.number(),
    lines: z.number(),
    events_added: z.number(),
    sightings_added: z.number(),
    /** Left out, because their session was deleted. */
    events_deleted: z.number(),
    lines_bad: z.number(),
    done: z.boolean(),
  }),
})

export const transcriptsRunning = operation({
  name: 'transcripts.running',
  summary: 'Claude Code sessions running on this machine, and whether their traffic passes through Aspy.',
  input: z.object({}),
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
