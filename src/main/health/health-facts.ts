import type { GuardPassed } from '../../shared/contract/guard.ts'
import type { Health } from '../../shared/contract/health.ts'
import type { ReplacedFile } from '../base/data-folder.ts'
import type { KeeperFacts } from './keeper-warnings.ts'
import type { ServiceFacts } from './service-warnings.ts'
import type { TapStats } from '../proxy/tap.ts'
import type { RecorderHealth } from '../recorder/host/recorder-host.ts'

/** A damaged database that was moved away, by its file name. */
export interface SetAside {
  readonly name: string
  /** What its successor has of it; null: nothing. */
  readonly salvaged: {
    readonly events: number
    readonly missing: number
    /** Events that lost a text. */
    readonly mended: number
    /** Most missing first. */
    readonly sessions: readonly { readonly id: string; readonly missing: number }[]
  } | null
}

/** The state of each part of the app, gathered before anything is derived from it. */
export interface HealthFacts {
  readonly run: Pick<
    Health,
    | 'id'
    | 'version'
    | 'pid'
    | 'is_demo'
    | 'started_at'
    | 'proxy_url'
    | 'app_url'
    | 'tunnel'
    | 'tunnels'
    | 'data'
    | 'upstream'
    | 'upstreams'
    | 'max_queue_bytes'
  >
  readonly isRecordingOn: boolean
  readonly tap: TapStats
  readonly recorder: RecorderHealth
  readonly sinks: Health['sinks']
  /** Why the data folder cannot be used; null if it can. */
  readonly folderFault: string | null
  /** It could not be used at the start, and can be now. */
  readonly isFolderRegained: boolean
  /** It was moved or removed while the app ran. */
  readonly isFolderGone: boolean
  /** Files of the data folder that were not trusted, and replaced. */
  readonly replacedFiles: readonly ReplacedFile[]
  /** Damaged databases that were moved away. */
  readonly setAside: readonly SetAside[]
  /** When the database was last written before its write-ahead log was removed; null: it was not. */
  readonly lostLogSince: string | null
  /** The computer's clock shows a time that does not count: it is not set, or has jumped. */
  readonly isClockWrong: boolean
  readonly files: Health['files']
  /** What the guard let pass without a price; absent: nothing. */
  readonly guardPassed?: readonly GuardPassed[]
  /** Why the changed config file cannot be read; null if it can. */
  readonly configFault: string | null
  /** Absent: no keeper started this app. */
  readonly keeper?: KeeperFacts
  /** Absent: not asked for. */
  readonly service?: ServiceFacts
  readonly totals: Pick<Health, 'cost_today_usd' | 'database_bytes' | 'events_total' | 'unproven_sessions' | 'archive'>
}

/** Returns the losses by reason, from the tap and the recorder together. */
export function dropsOf({ tap, recorder }: Pick<HealthFacts, 'tap' | 'recorder'>): Record<string, number> {
  const sums: Record<string, number> = { ...recorder.dropped }
  for (const [reason, count] of Object.entries(tap.dropped)) sums[reason] = (sums[reason] ?? 0) + count
  return sums
}
