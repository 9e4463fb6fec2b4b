import type { Config } from '../../shared/config.ts'
import type { Health } from '../../shared/contract/health.ts'

/** Status of one sink, as Health shows it. */
export type SinkStatus = Health['sinks'][number]

/** workerData of the outbox thread. */
export interface OutboxStart {
  readonly dataDir: string
  readonly databasePath: string
  readonly version: string
  /** A sink that starts for the first time skips events before this time; ISO 8601. */
  readonly since: string
  readonly webhook: Config['webhook']
  readonly otel: Config['otel']
  readonly team: Config['team']
  /** How long a few changes wait for more; tests set it. */
  readonly teamHoldMs?: number | undefined
}

/** Main thread → outbox. */
export type ToOutbox =
  /** Events were committed: read the log. */
  | { readonly type: 'committed' }
  /** Deliver the rest and exit. */
  | { readonly type: 'stop' }

/** Outbox → main thread. */
export type FromOutbox =
  | { readonly type: 'status'; readonly sinks: readonly SinkStatus[] }
  /** While stopping: this sink has finished. */
  | { readonly type: 'ended'; readonly name: SinkStatus['name'] }
  | { readonly type: 'stopped' }
