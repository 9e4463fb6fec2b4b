import { z } from 'zod'
import { operation } from './operation.ts'

/** How far the rules now in force were applied to what was stored before them. */
const pastProgress = z.object({
  /** Stands for this redaction, also when it goes on after a restart. */
  run: z.string(),
  /** What is done now: the log, the other tables, archives, session logs, what is left in indexes and free pages. */
  phase: z.enum(['events', 'tables', 'archives', 'files', 'clearing', 'done']),
  events: z.number(),
  events_done: z.number(),
  events_changed: z.number(),
  /** Other rows and texts that were changed. */
  rows_changed: z.number(),
  /** Archives that were to be looked through since this began or went on. */
  archives: z.number(),
  archives_done: z.number(),
  /** Session logs. */
  files: z.number(),
  files_done: z.number(),
  files_changed: z.number(),
  /** Copies that Aspy kept (from before a migration …): removed, since they hold what was stored then. */
  copies_removed: z.array(z.string()),
  /** Databases beside ours, such as your own backups: they were not touched. */
  backups: z.array(z.string()),
  done: z.boolean(),
})
export type PastProgress = z.infer<typeof pastProgress>

export const redactPast = operation({
  name: 'redaction.past',
  summary: 'Applies the redaction now in force to all that is stored; goes on where it was interrupted.',
  place: 'recorder',
  answer: 'stream',
  writes: true,
  /** `run`: goes on with that one, after a recorder ended; without it a redaction begins, or one that was left goes on. */
  input: z.object({ run: z.string().max(100).optional() }),
  output: pastProgress,
})
