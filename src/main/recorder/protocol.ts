import type { ProcessorStatus } from '../pipeline/pipeline.ts'
import type { MessagePort } from 'node:worker_threads'
import type { Config } from '../../shared/config.ts'
import type { ReportedBudget } from '../../shared/contract/budgets.ts'
import type { ErrorAnswer } from '../../shared/contract/errors.ts'
import type { Correction, Delta, EventSummary } from '../../shared/live-feed.ts'
import type { AnyDraft } from '../decode/draft.ts'
import type { ImportedSession } from '../store/delete/forget-imported.ts'
import type { ImportCheckpoint } from '../store/log/import-checkpoint.ts'
import type { PreviewChange } from '../store/preview/previewed-file.ts'
import type { LeftOutAnswer } from '../../shared/left-out-answer.ts'
import type { PreparedBatch } from '../store/projections/prepared-payloads.ts'
import type { Measures } from '../sinks/measures.ts'
import type { TapAcknowledgement, TapParcel } from '../proxy/protocol/tap-protocol.ts'

/** Start data of the recorder's thread (workerData). */
export interface RecorderStart {
  readonly dataDir: string
  readonly config: Config
  readonly appVersion: string
  readonly isDemo: boolean
  /** Another app has taken over the store: what is still recorded is passed on to it. */
  readonly isHandedOver?: boolean
  /** Shared with the host: see vital-signs.ts. */
  readonly vitalSigns: SharedArrayBuffer
  /** Time in which a deletion can be undone; tests set it. */
  readonly undo?: UndoTimes | undefined
  /** `performance.timeOrigin` of the main thread: `ts_monotonic` counts from it. */
  readonly timeOrigin: number
}

/** Time in ms during which a deletion can be undone. */
export interface UndoTimes {
  /** Counted from the moment when a person sees the undo. */
  readonly seenMs: number
  /**
   * Counted from the request if nobody sees it: the page was closed, or something other than the window made the
   * request.
   */
  readonly unseenMs: number
}

/** Main thread → recorder. */
export type ToRecorder =
  | { readonly type: 'tap'; readonly parcels: readonly TapParcel[] }
  /**
   * `id` (UUIDv7) is returned in `hook_recorded`. Until then the host keeps the hook for the next recorder. `body` is JSON
   * that only the recorder parses.
   */
  | {
      readonly type: 'hook'
      readonly id: string
      readonly body: Uint8Array
      readonly wall: number
      readonly at: number
    }
  /** An operation that belongs to the recorder, or one of RecorderCommands. */
  | { readonly type: 'call'; readonly call: number; readonly name: string; readonly input: unknown }
  /** A port to an importer, which sends ImportBatch and receives ToImporter. */
  | { readonly type: 'importer'; readonly port: MessagePort }
  | { readonly type: 'stop' }
  /** Ends at once without committing. */
  | { readonly type: 'die' }

/** Calls that only the app itself makes: no surface offers them. */
export interface RecorderCommands {
  /** Remembers that a budget's mark was reported. `done` is false if it already was in this period. */
  'budgets.reported': { readonly input: ReportedBudget; readonly output: { readonly done: boolean } }
  /** Leaves the store to another app. */
  'store.hand_over': { readonly input: Record<never, never>; readonly output: { readonly done: true } }
  /** Replaces the damaged database with a new one that has all that can be read. */
  'store.salvage': { readonly input: { readonly reason: string }; readonly output: { readonly done: true } }
}

/** Importer → recorder: drafts for the slow lane. Each batch is answered when it is committed. */
export interface ImportBatch {
  readonly type: 'import'
  readonly batch: number
  readonly drafts: readonly AnyDraft[]
  /** Payloads prepared for the store, one per draft. */
  readonly prepared?: PreparedBatch
  /** Unknown fields of lines since the last batch, by name and client version. */
  readonly unknown_fields?: { readonly [what: string]: number }
  /** The positions reached in the files; stored in the transaction of the last draft. */
  readonly checkpoints?: readonly ImportCheckpoint[]
  /** Imported sessions to remove first: their transcripts are read again. The batch has no drafts. */
  readonly forget?: readonly ImportedSession[]
  /** Figures to show before the files are read whole. The batch has no drafts. */
  readonly preview?: PreviewChange
  /** The drafts are happening now (a followed transcript), so the live feed shows them. */
  readonly isLive?: true
  /** Matches of the importer's redaction since its last batch: the drafts arrive redacted. */
  readonly redacted?: { readonly [rule: string]: number }
  /** Texts left out since then because redaction timed out. */
  readonly redaction_timeouts?: number
}
export type ToImporter =
  | {
      readonly type: 'committed'
      readonly batch: number
      readonly added: number
      readonly joined: number
      /** Left out, because their session was deleted. */
      readonly deleted: number
      readonly dropped: number
    }
  | { readonly type: 'refused'; readonly batch: number; readonly error: ErrorAnswer }

/** Recorder → main thread. */
export type FromRecorder =
  /** `mayFollow` is false if no transcript was imported: the importer then need not start. */
  | { readonly type: 'ready'; readonly mayFollow: boolean }
  | TapAcknowledgement
  /** The hook is committed or spooled. */
  | { readonly type: 'hook_recorded'; readonly id: string }
  | {
      readonly type: 'live'
      readonly events: readonly EventSummary[]
      readonly deltas: readonly Delta[]
      readonly corrected?: readonly Correction[]
    }
  /** Sent before their exchanges are acknowledged. */
  | { readonly type: 'left_out'; readonly answers: readonly LeftOutAnswer[] }
  | { readonly type: 'status'; readonly status: RecorderStatus }
  /** The plain counts after each write, so that none are lost if the recorder crashes. */
  | { readonly type: 'counted'; readonly counts: RecorderCounts }
  | { readonly type: 'result'; readonly call: number; readonly value: unknown }
  /** Progress of a long call. Its result follows. */
  | { readonly type: 'progress'; readonly call: number; readonly value: unknown }
  | { readonly type: 'failure'; readonly call: number; readonly error: ErrorAnswer }
  | { readonly type: 'stopped' }
  /** The thread cannot start properly (newer database, read-only folder). It continues without a store if it can. */
  | { readonly type: 'fault'; readonly error: ErrorAnswer }

export type RecorderCounts = Pick<RecorderStatus, 'exchanges' | 'events' | 'sightings' | 'commit_lag_ms'>

/** Counters of the recorder since its start, sent at most once a second and when its state changes. */
export interface RecorderStatus {
  readonly state: 'running' | 'spooling'
  /** Why it spools, as a sentence for the user. */
  readonly reason: string | null
  /** It spools because damage is being repaired. */
  readonly isRepairing?: true
  readonly exchanges: number
  readonly events: number
  readonly sightings: number
  readonly commit_lag_ms: number | null
  readonly spooled: number
  readonly dropped: { readonly [reason: string]: number }
  readonly unknown: { readonly [what: string]: number }
  readonly redacted: { readonly [rule: string]: number }
  readonly unpriced_models: readonly string[]
  readonly processors: readonly ProcessorStatus[]
  /** Session logs; null if none are written. */
  readonly session_log: { readonly lines: number; readonly failed: number; readonly problem: string | null } | null
  readonly measures: Measures
}
