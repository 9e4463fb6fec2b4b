import { z } from 'zod'
import { operation } from './operation.ts'

/** A copy that Aspy keeps, for example from before a migration or a restore. */
const copyReport = z.object({
  path: z.string(),
  /** Whether the current rules would change anything in it. 'unreadable': it could not be checked. */
  content: z.enum(['unredacted', 'nothing', 'unreadable']),
})
export type CopyReport = z.infer<typeof copyReport>

/** Progress of applying the current rules to data stored earlier. */
const pastProgress = z.object({
  /** Identifies this run, even if it resumes after a restart. */
  run: z.string(),
  /** Current phase: the log, other tables, archives, session logs, then indexes and free pages. */
  phase: z.enum(['events', 'tables', 'archives', 'files', 'clearing', 'done']),
  events: z.number(),
  events_done: z.number(),
  events_changed: z.number(),
  /** Other rows and texts that were changed. */
  rows_changed: z.number(),
  /** Archives to examine since this run began or resumed. */
  archives: z.number(),
  archives_done: z.number(),
  /** Session logs. */
  files: z.number(),
  files_done: z.number(),
  files_changed: z.number(),
  /** Copies that Aspy keeps, examined after the session logs. They were not changed; `redaction.remove_copies` removes them. */
  copies: z.array(copyReport),
  /** Other databases in the folder, such as your own backups. They were not changed. */
  backups: z.array(z.string()),
  done: z.boolean(),
})
export type PastProgress = z.infer<typeof pastProgress>

export const redactPast = operation({
  name: 'redaction.past',
  summary: 'Apply the current redaction rules to everything stored. Resumes an interrupted run.',
  place: 'recorder',
  answer: 'stream',
  writes: true,
  /** Resumes only this run. Without it, a run begins or an interrupted one resumes. */
  input: z.object({ run: z.string().max(100).optional() }),
  output: pastProgress,
})

export const removeCopies = operation({
  name: 'redaction.remove_copies',
  summary: 'Remove copies of the database that Aspy keeps, because they contain unredacted data',
  place: 'recorder',
  writes: true,
  /** The paths that `redaction.past` reports. Others are ignored. */
  input: z.object({ paths: z.array(z.string().max(4096)).max(1000) }),
  output: z.object({ removed: z.array(z.string()) }),
})
