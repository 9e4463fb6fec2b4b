import type { PendingDeletions } from './delete/pending-deletions.ts'
import type { Removal } from './delete/session-removal.ts'
import type { AnswersInProgress } from './log/answers-in-progress.ts'
import type { Ingest } from './ingest/ingest.ts'
import type { Maintenance } from './maintenance/maintenance.ts'
import type { People } from './people/people.ts'

/**
 * The write side of the store. There is one writer, guarded by a lock on `writer.lock`. All calls are synchronous and
 * belong to the recorder's thread.
 */
export interface Store {
  readonly ingest: Ingest
  readonly maintenance: Maintenance
  readonly removal: Removal
  readonly pendingDeletions: PendingDeletions
  readonly people: People
  readonly answersInProgress: AnswersInProgress
  close(): void
}
