import type { MessagePort } from 'node:worker_threads'
import type { Config } from '../../shared/config.ts'
import type { ErrorAnswer } from '../../shared/contract/errors.ts'
import type { JsonObject } from '../../shared/event.ts'
import type { Delta, EventSummary } from '../../shared/live-feed.ts'
import type { AnyDraft } from '../decode/draft.ts'
import type { ImportCheckpoint } from '../store/log/import-checkpoint.ts'
import type { PreparedBatch } from '../store/projections/prepared-payloads.ts'
import type { Measures } from '../sinks/measures.ts'
import type { TapAcknowledgement, TapParcel } from '../proxy/protocol/tap-protocol.ts'

/** What the recorder's thread is started with (workerData). */
export interface RecorderStart {
  readonly dataDir: string
  readonly config: Config
  readonly appVersion: string
  readonly isDemo: boolean
  /** Shared with the supervisor: see vital-signs.ts. */
  readonly vitalSigns: SharedArrayBuffer
  /** `performance.timeOrigin` of the main thread, from which `ts_monotonic` counts. */
  readonly timeOrigin: number
}

/** Main thread → recorder. */
export type ToRecorder =
  | { readonly type: 'tap'; readonly parcels: readonly TapParcel[] }
  /** `id` (UUIDv7) comes back in `hook_recorded`; until then the supervisor keeps the hook for the next recorder. */
  | {
      readonly type: 'hook'
      readonly id: string
      readonly body: JsonObject
      readonly wall: number
      readonly at: number
    }
  /** An operation whose place is the recorder. */
  | { readonly type: 'call'; readonly call: number; readonly name: string; readonly input: unknown }
  /** The importer's own line to the recorder: it speaks ToRecorderFromImporter. */
  | { readonly type: 'importer'; readonly port: MessagePort }
  | { readonly type: 'stop' }
  /** End at once, and leave all that is not committed. */
  | { readonly type: 'die' }

/** Importer → recorder: drafts of the slow lane, each batch answered when it is committed. */
export interface ImportBatch {
  readonly type: 'import'
  readonly batch: number
  readonly drafts: readonly AnyDraft[]
  /** What the store would make of their payloads, one for each. */
  readonly prepared?: PreparedBatch
  /** Fields of lines that no one knows, by name and version of the client, since the batch before. */
  readonly unknown_fields?: { readonly [what: string]: number }
  /** Where the files of its drafts were read up to, kept in the same transaction as the last of them. */
  readonly checkpoints?: readonly ImportCheckpoint[]
  /** They happen now (a followed transcript): readers of the live feed are told. */
  readonly isLive?: true
  /** What the importer's redaction found since its last batch: the drafts come redacted. */
  readonly redacted?: { readonly [rule: string]: number }
  /** Texts left out since then, because own patterns gave no answer in time. */
  readonly redaction_timeouts?: number
}
export type ToImporter =
  | {
      readonly type: 'committed'
      readonly batch: number
      readonly added: number
      readonly joined: number
      readonly dropped: number
    }
  | { readonly type: 'refused'; readonly batch: number; readonly error: ErrorAnswer }

/** Recorder → main thread. */
export type FromRecorder =
  | { readonly type: 'ready' }
  | TapAcknowledgement
  /** What the hook said is committed or spooled. */
  | { readonly type: 'hook_recorded'; readonly id: string }
  | { readonly type: 'live'; readonly events: readonly EventSummary[]; readonly deltas: readonly Delta[] }
  | { readonly type: 'status'; readonly status: RecorderStatus }
  | { readonly type: 'result'; readonly call: number; readonly value: unknown }
  /** How far a call is that takes its time; its result follows. */
  | { readonly type: 'progress'; readonly call: number; readonly value: unknown }
  | { readonly type: 'failure'; readonly call: number; readonly error: ErrorAnswer }
  | { readonly type: 'stopped' }
  /** The thread cannot begin (database from a newer app, folder not writable …); it goes on without a store where it can. */
  | { readonly type: 'fault'; readonly error: ErrorAnswer }

/** The recorder's counters since its start, sent at most once a second, and at once when its state changes. */
export interface RecorderStatus {
  readonly state: 'running' | 'spooling'
  /** Why it spools, in words for a person. */
  readonly reason: string | null
  readonly exchanges: number
  readonly events: number
  readonly sightings: number
  readonly commit_lag_ms: number | null
  readonly spooled: number
  readonly dropped: { readonly [reason: string]: number }
  readonly unknown: { readonly [what: string]: number }
  readonly redacted: { readonly [rule: string]: number }
  readonly unpriced_models: readonly string[]
  readonly processors: readonly {
    readonly name: string
    readonly seen: number
    readonly dropped: number
    readonly errors: number
    /** Why it is not asked any more; null while it is. */
    readonly disabled: string | null
    /** How often it gave no answer in time. */
    readonly late: number
    /** The longest it took for an answer. */
    readonly slowest_ms: number | null
  }[]
  /** What became of the session logs; null: none are written. */
  readonly session_log: { readonly lines: number; readonly failed: number; readonly problem: string | null } | null
  readonly measures: Measures
}
