import { z } from 'zod'
import { operation } from './operation.ts'

export const transcriptsFind = operation({
  name: 'transcripts.find',
  summary: 'Transcripts that are on this machine, counted and sized; none of them is read.',
  place: 'main',
  input: z.object({}),
  output: z.object({
    folders: z.array(z.object({ path: z.string(), files: z.number(), bytes: z.number() })),
    files: z.number(),
    bytes: z.number(),
    /** Files but those of subagents. */
    sessions: z.number(),
    /** Imported, and unchanged since. */
    imported_files: z.number(),
    /** Not imported yet. */
    new_bytes: z.number(),
    /** Seconds that an import of these would take, about. */
    estimate_s: z.number(),
    /** Tool results that were too long for their transcripts; they are not imported. */
    spilled_files: z.number(),
    spilled_bytes: z.number(),
    /** Lists of prompts (`history.jsonl`), which outlive transcripts. */
    prompt_histories: z.number(),
    /** Folders and files that could not be looked into. */
    unreadable: z.number(),
    /** What is appended to them is read as it comes. */
    following: z.boolean(),
  }),
})

export const transcriptsImport = operation({
  name: 'transcripts.import',
  summary: 'Import transcripts: files or folders, or all that were found; nothing else is read.',
  place: 'main',
  answer: 'stream',
  writes: true,
  input: z.object({
    /** Left out: what transcripts.find finds. */
    paths: z.array(z.string().min(1).max(4096)).min(1).max(1000).optional(),
  }),
  output: z.object({
    files: z.number(),
    files_done: z.number(),
    /** Of those done: nothing was new in them. */
    files_unchanged: z.number(),
    bytes: z.number(),
    bytes_done: z.number(),
    lines: z.number(),
    events_added: z.number(),
    sightings_added: z.number(),
    lines_bad: z.number(),
    done: z.boolean(),
  }),
})

export const transcriptsRunning = operation({
  name: 'transcripts.running',
  summary: 'Sessions of Claude Code that run on this machine now, and whether their traffic passes through Aspy.',
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
