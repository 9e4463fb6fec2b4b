import type { Health } from '../contract/health.ts'
import { tableOf } from './column.ts'

type Sink = Health['sinks'][number]

/** Names of other destinations of events. */
export const SINK_NAMES: Readonly<Record<Sink['name'], string>> = {
  session_log: 'Session logs',
  webhook: 'Webhook',
  otel: 'OpenTelemetry',
  team: 'Team',
}

/** Other destinations of events. */
export const sinksTable = tableOf<Sink>()({
  columns: {
    name: { name: 'Sink', of: (row) => SINK_NAMES[row.name] },
    delivered: { name: 'Delivered', format: 'count' },
    waiting: { name: 'Waiting', format: 'count', tone: (row) => (row.waiting > 0 ? 'warn' : 'soft') },
    dropped: {
      name: 'Not delivered',
      of: (row) => Object.values(row.dropped).reduce((sum, count) => sum + count, 0),
      format: 'count',
    },
  },
})

/** Steps of the pipeline, custom ones included. */
export const processorsTable = tableOf<Health['processors'][number]>()({
  columns: {
    name: { name: 'Step' },
    seen: { name: 'Seen', format: 'count' },
    dropped: { name: 'Dropped', format: 'count' },
    errors: { name: 'Errors', format: 'count', tone: (row) => (row.errors > 0 ? 'bad' : 'soft') },
    late: { name: 'Late', format: 'count', tone: (row) => (row.late > 0 ? 'bad' : 'soft') },
    slowest_ms: { name: 'Slowest', format: 'duration' },
  },
})
