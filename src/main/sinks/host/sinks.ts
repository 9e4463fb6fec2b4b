import { join } from 'node:path'
import type { Config } from '../../../shared/config.ts'
import type { Health } from '../../../shared/contract/health.ts'
import type { EventSummary } from '../../../shared/live-feed.ts'
import { TRAFFIC_KINDS } from '../../../shared/turn-state.ts'
import type { RecorderHealth } from '../../recorder/host/recorder-host.ts'
import { createMetrics } from './metrics.ts'
import { createOutbox, type OutboxOptions } from './outbox.ts'
import type { SinkStatus } from '../protocol.ts'

/** Main-thread handle of all sinks: where committed events go in addition to the database and the live feed. */
export type Sinks = ReturnType<typeof createSinks>

export interface SinksOptions extends Omit<OutboxOptions, 'config'> {
  readonly config: Config
  recorder(): Pick<RecorderHealth, 'measures' | 'session_log'>
  health(): Promise<Health>
}

const ACTIVE_MS = 5 * 60_000
/** Limit of remembered sessions, whose ids come from outside. */
const MAX_SESSIONS = 10_000

export function createSinks({ recorder, health, ...options }: SinksOptions) {
  let { config } = options
  const outbox = createOutbox(options)
  const activeAt = new Map<string, number>()
  const metrics = createMetrics({ health, measures: () => recorder().measures, activeSessions })

  function activeSessions(): number {
    const since = performance.now() - ACTIVE_MS
    for (const [session, at] of activeAt) if (at < since) activeAt.delete(session)
    return activeAt.size
  }

  /** Keeps the sessions in order of their last event, so that the oldest is evicted first. */
  function note(session: string): void {
    activeAt.delete(session)
    activeAt.set(session, performance.now())
    const oldest = activeAt.keys().next().value
    if (activeAt.size > MAX_SESSIONS && oldest !== undefined) activeAt.delete(oldest)
  }

  function sessionLog(): SinkStatus[] {
    const log = recorder().session_log
    if (log === null || !config.session_log.enabled) return []
    return [
      {
        name: 'session_log',
        target: join(options.dataDir, 'logs'),
        delivered: log.lines,
        waiting: 0,
        dropped: log.failed === 0 ? {} : { not_written: log.failed },
        problem: log.problem,
      },
    ]
  }

  return {
    start: outbox.start,
    /** Events were committed. Returns at once. */
    committed(events: readonly EventSummary[]) {
      if (events.length === 0) return
      for (const { session_id, kind } of events)
        if (activeAt.has(session_id) || !TRAFFIC_KINDS.includes(kind)) note(session_id)
      outbox.committed()
    },
    status: () => [...sessionLog(), ...outbox.status()],
    /** Returns the `/metrics` page, or null if it is off. */
    metricsPage: async () => (config.metrics.enabled ? metrics.page() : null),
    async reconfigure(next: Config, deadlineMs: number) {
      config = next
      await outbox.reconfigure(next, deadlineMs)
    },
    /** Waits for the sinks until the deadline. Slow ones are logged. */
    stop: outbox.stop,
  }
}
