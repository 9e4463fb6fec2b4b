import type { MessagePort } from 'node:worker_threads'
import type { Config } from '../../shared/config.ts'
import type { ErrorAnswer } from '../../shared/contract/errors.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'
import type { ClientHomes } from './client-folders.ts'

/** The progress of an import: one batch of the operation `transcripts.import`. */
export type ImportProgress = OperationOutput<'transcripts.import'>
/** The transcripts that exist: the answer of the operation `transcripts.find`. */
export type TranscriptsFound = OperationOutput<'transcripts.find'>

/** An image of an event, to be looked up in the transcripts of its session. */
export interface WantedImage {
  readonly session_id: string
  readonly agent_id: string | null
  /** As it was recorded: keyed hash of its base64 text, size, and type if the client named one. */
  readonly hash: string
  readonly bytes: number
  readonly media_type: string | null
}

/** An image as its transcript has it; `data` is base64. Or why there is none to show. */
export type FoundImage =
  | { readonly refused: Exclude<OperationOutput<'images.get'>['refused'], null> }
  | ({ readonly refused: null } & NonNullable<OperationOutput<'images.get'>['image']>)

/** The importer thread's workerData. */
export interface ImporterStart {
  readonly dataDir: string
  readonly config: Config
  readonly homes: ClientHomes
}

/** Main thread → importer. */
export type ToImporterThread =
  /** `paths` null: everything found. */
  | { readonly type: 'import'; readonly job: number; readonly paths: readonly string[] | null }
  | { readonly type: 'find'; readonly job: number }
  | { readonly type: 'image'; readonly job: number; readonly wanted: WantedImage }
  /** Ends a job at once; everything read so far is kept. */
  | { readonly type: 'cancel'; readonly job: number }
  /** Starts following imported folders; answered with `following`. */
  | { readonly type: 'follow' }
  /** Ends the thread in the middle of any job: the next thread continues from the committed position. */
  | { readonly type: 'end' }
  /** The same, once the recorder has answered all batches and the last progress includes them. */
  | { readonly type: 'end_answered' }
  /** The connection to the current recorder: batches that the previous one did not answer are sent again. */
  | { readonly type: 'recorder'; readonly port: MessagePort }

/** Importer → main thread. */
export type FromImporterThread =
  | { readonly type: 'progress'; readonly job: number; readonly progress: ImportProgress }
  | { readonly type: 'found'; readonly job: number; readonly found: TranscriptsFound }
  | { readonly type: 'image'; readonly job: number; readonly image: FoundImage }
  | { readonly type: 'failed'; readonly job: number; readonly error: ErrorAnswer }
  /** True if it follows anything; then the thread must stay alive. */
  | { readonly type: 'following'; readonly isFollowing: boolean }
  /** A followed file could not be read or stored; it is tried again. */
  | { readonly type: 'trouble'; readonly message: string }
  /** The recorder at the other end has exited: a new connection is needed. */
  | { readonly type: 'line_lost' }
