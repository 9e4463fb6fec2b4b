import type { Config } from '../../shared/config.ts'
import type { Health } from '../../shared/contract/health.ts'

/** What became of one sink. */
export type SinkStatus = Health['sinks'][number]

/** What the thread of the outbox is started with (workerData). */
export interface OutboxStart {
  readonly dataDir: string
  readonly databasePath: string
  readonly version: string
  /** What was before this is history to a sink that is switched on for the first time; ISO 8601. */
  readonly since: string
  readonly webhook: Config['webhook']
  readonly otel: Config['otel']
}

/** Main thread → outbox. */
export type ToOutbox =
  /** Something was committed: look at the log. */
  | { readonly type: 'committed' }
  /** Send what is there now, and end. */
  | { readonly type: 'stop' }

/** Outbox → main thread. */
export type FromOutbox =
  | { readonly type: 'status'; readonly sinks: readonly SinkStatus[] }
  /** While it stops: this one is through. */
  | { readonly type: 'ended'; readonly name: SinkStatus['name'] }
  | { readonly type: 'stopped' }
