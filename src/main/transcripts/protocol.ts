import type { MessagePort } from 'node:worker_threads'
import type { Config } from '../../shared/config.ts'
import type { ErrorAnswer } from '../../shared/contract/errors.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'

/** How far an import is: one batch of the operation `transcripts.import`. */
export type ImportProgress = OperationOutput<'transcripts.import'>

/** What the importer's thread is started with (workerData). */
export interface ImporterStart {
  readonly dataDir: string
  readonly config: Config
}

/** Main thread → importer. */
export type ToImporterThread =
  | { readonly type: 'import'; readonly job: number; readonly paths: readonly string[] }
  /** Ends a job where it is; what was read up to there stays. */
  | { readonly type: 'cancel'; readonly job: number }
  /** The line to the recorder of now: what the one before did not answer is sent again. */
  | { readonly type: 'recorder'; readonly port: MessagePort }

/** Importer → main thread. */
export type FromImporterThread =
  | { readonly type: 'progress'; readonly job: number; readonly progress: ImportProgress }
  | { readonly type: 'failed'; readonly job: number; readonly error: ErrorAnswer }
  /** The recorder at the other end is gone: a new line is needed. */
  | { readonly type: 'line_lost' }
