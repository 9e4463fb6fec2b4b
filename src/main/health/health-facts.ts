import type { Health } from '../../shared/contract/health.ts'
import type { TapStats } from '../proxy/tap.ts'
import type { RecorderHealth } from '../recorder/host/recorder-host.ts'

/** What the parts say of themselves, gathered before anything is worked out. */
export interface HealthFacts {
  readonly run: Pick<
    Health,
    'id' | 'version' | 'pid' | 'started_at' | 'proxy_url' | 'app_url' | 'data' | 'upstream' | 'max_queue_bytes'
  >
  readonly isRecordingOn: boolean
  readonly tap: TapStats
  readonly recorder: RecorderHealth
  readonly sinks: Health['sinks']
  /** Why the data folder cannot be used, where it cannot. */
  readonly folderFault: string | null
  /** Names of databases that were damaged and set aside. */
  readonly setAside: readonly string[]
  readonly totals: Pick<Health, 'cost_today_usd' | 'database_bytes' | 'events_total' | 'archive'>
}

/** What was not recorded, by reason: what the tap dropped and what the recorder did. */
export function dropsOf({ tap, recorder }: Pick<HealthFacts, 'tap' | 'recorder'>): Record<string, number> {
  const sums: Record<string, number> = { ...recorder.dropped }
  for (const [reason, count] of Object.entries(tap.dropped)) sums[reason] = (sums[reason] ?? 0) + count
  return sums
}
