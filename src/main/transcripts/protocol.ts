import type { MessagePort } from 'node:worker_threads'
import type { Config } from '../../shared/config.ts'
import type { ErrorAnswer } from '../../shared/contract/errors.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'

/** How far an import is: one batch of the operation `transcripts.import`. */
export type ImportProgress = OperationOutput<'transcripts.import'>
/** What is there: the answer of the operation `transcripts.find`. */
export type TranscriptsFound = OperationOutput<'transcripts.find'>

/** What the importer's thread is started with (workerData). */
export interface ImporterStart {
  readonly dataDir: string
  readonly config: Config
  /** Claude Code's own folders: see claude-folders.ts. */
  readonly claudeFolders: readonly string[]
}

/** Main thread → importer. */
export type ToImporterThread =
  /** `paths` null: what is found. */
  | { readonly type: 'import'; readonly job: number; readonly paths: readonly string[] | null }
  | { readonly type: 'find'; readonly job: number }
  /** Ends a job where it is; what was read up to there stays. */
  | { readonly type: 'cancel'; readonly job: number }
  /** Begins to read what comes in folders that were imported; answered with `following`. */
  | { readonly type: 'follow' }
  /** End, wherever a job is: the next thread goes on from what was committed. */
  | { readonly type: 'end' }
  /** The line to the recorder of now: what the one before did not answer is sent again. */
  | { readonly type: 'recorder'; readonly port: MessagePort }

/** Importer → main thread. */
export type FromImporterThread =
  | { readonly type: 'progress'; readonly job: number; readonly progress: ImportProgress }
  | { readonly type: 'found'; readonly job: number; readonly found: TranscriptsFound }
  | { readonly type: 'failed'; readonly job: number; readonly error: ErrorAnswer }
  /** Whether there is anything that it follows: if so, the thread must live on. */
  | { readonly type: 'following'; readonly isFollowing: boolean }
  /** Something that is followed could not be read or stored; it is tried again. */
  | { readonly type: 'trouble'; readonly message: string }
  /** The recorder at the other end is gone: a new line is needed. */
  | { readonly type: 'line_lost' }
