import type { Metric } from 'prom-client'
import type { Health } from '../../../shared/contract/health.ts'
import { BOUNDS, type Counts, type Durations, type Measures } from '../measures.ts'

export interface MetricsOptions {
  health(): Promise<Health>
  measures(): Measures
  /** Returns the number of sessions with a recent event. */
  activeSessions(): number
}

/** Reasons shown with 0 from the start, so that the first drop registers as an increase. */
const REASONS = [
  'queue_full',
  'recorder_failed',
  'decode_failed',
  'request_too_large',
  'response_too_large',
  'hook_too_large',
  'spool_full',
  'redaction_timeout',
  'session_log',
]

/** A line of the page, in prom-client's form. */
interface Sample {
  readonly value: number
  readonly labels?: { readonly [name: string]: string | number }
  readonly metricName?: string
}

interface Snapshot {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly values: readonly Sample[]
}

/**
 * Creates the `/metrics` page for Prometheus, from Health and the recorder's measures. Loads prom-client on the first
 * scrape.
 */
export function createMetrics({ health, measures, activeSessions }: MetricsOptions) {
  return {
    /** Renders the page for one scrape. */
    async page(): Promise<{ readonly contentType: string; readonly text: string }> {
      const { Registry } = await import('prom-client')
      const registry = new Registry()
      const all = [...ofApp(await health(), activeSessions()), ...ofTraffic(measures())]
      for (const snapshot of all)
        registry.registerMetric({ name: snapshot.name, get: async () => snapshot } as unknown as Metric)
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}

const counter = (name: string, help: string, values: readonly Sample[]): Snapshot => ({
  name,
  help,
  type: 'counter',
  values,
})
const gauge = (name: string, help: string, values: readonly Sample[]): Snapshot => ({
  name,
  help,
  type: 'gauge',
  values,
})
const one = (value: number | null): Sample[] => (value === null ? [] : [{ value }])
const quantile = (of: number, ms: number | null): Sample[] =>
  ms === null ? [] : [{ value: ms / 1000, labels: { quantile: of } }]
const by = (label: string, counts: Counts): Sample[] =>
  Object.entries(counts).map(([name, value]) => ({ value, labels: { [label]: name } }))

function ofApp(health: Health, sessions: number): Snapshot[] {
  const dropped = { ...Object.fromEntries(REASONS.map((reason) => [reason, 0])), ...health.dropped }
  const { processors, sinks } = health
  return [
    gauge('aspy_info', 'The running version.', [{ value: 1, labels: { version: health.version } }]),
    gauge('aspy_start_time_seconds', 'Start time, in seconds since 1970.', one(Date.parse(health.started_at) / 1000)),
    gauge('aspy_up', '1 if everything is recorded, 0 if Health shows a problem.', one(Number(health.status === 'ok'))),
    gauge('aspy_queue_bytes', 'Captured bytes waiting for the recorder.', one(health.queue_bytes)),
    gauge('aspy_queue_max_bytes', 'Limit of the queue; over it, exchanges are dropped.', one(health.max_queue_bytes)),
    gauge('aspy_exchanges_in_flight', 'Exchanges in progress.', one(health.in_flight)),
    counter('aspy_exchanges_seen_total', 'Exchanges that passed through the proxy.', one(health.exchanges_seen)),
    counter('aspy_exchanges_recorded_total', 'Exchanges recorded.', one(health.exchanges_recorded)),
    gauge(
      'aspy_commit_lag_seconds',
      'Time from arrival to commit, for the last batch.',
      one(health.commit_lag_ms === null ? null : health.commit_lag_ms / 1000),
    ),
    gauge(
      'aspy_recorder_oldest_seconds',
      'Age of the oldest complete exchange or hook that is not recorded yet.',
      one(health.recorder_lag_ms / 1000),
    ),
    {
      name: 'aspy_recorder_lag_seconds',
      help: 'Time from the end of an exchange to its record, over the last five minutes.',
      type: 'summary',
      values: [...quantile(0.5, health.recorder_lag_p50_ms), ...quantile(0.99, health.recorder_lag_p99_ms)],
    },
    counter('aspy_events_dropped_total', 'Events and exchanges not recorded, by reason.', by('reason', dropped)),
    gauge('aspy_events_spooled', 'Events waiting on disk for the database.', one(health.spooled)),
    gauge('aspy_recorder_running', '1 while the recorder is running.', one(Number(health.recorder === 'running'))),
    counter('aspy_recorder_restarts_total', 'Restarts of the recorder.', one(health.recorder_restarts)),
    counter('aspy_secrets_removed_total', 'Secrets redacted, by rule.', by('rule', health.redacted)),
    gauge('aspy_sessions_active', 'Sessions with an event in the last five minutes.', one(sessions)),
    gauge('aspy_database_bytes', 'Size of the database.', one(health.database_bytes)),
    gauge('aspy_database_events', 'Events in the database.', one(health.events_total)),
    counter(
      'aspy_processor_events_total',
      'Events seen, dropped or failed, by pipeline step.',
      processors.flatMap(({ name, seen, dropped, errors }) =>
        Object.entries({ seen, dropped, failed: errors }).map(([outcome, value]) => ({
          value,
          labels: { processor: name, outcome },
        })),
      ),
    ),
    gauge(
      'aspy_sink_up',
      '1 if a sink can deliver, else 0.',
      sinks.map(({ name, problem }) => ({ value: Number(problem === null), labels: { sink: name } })),
    ),
    counter(
      'aspy_sink_delivered_total',
      'Lines, events or turns delivered, by sink.',
      sinks.map(({ name, delivered }) => ({ value: delivered, labels: { sink: name } })),
    ),
    gauge(
      'aspy_sink_waiting',
      'Items waiting for delivery, by sink.',
      sinks.map(({ name, waiting }) => ({ value: waiting, labels: { sink: name } })),
    ),
    counter(
      'aspy_sink_dropped_total',
      'Items that a sink dropped, by reason.',
      sinks.flatMap(({ name, dropped }) =>
        Object.entries(dropped).map(([reason, value]) => ({ value, labels: { sink: name, reason } })),
      ),
    ),
    gauge('aspy_process_resident_memory_bytes', 'Memory of the process.', one(process.memoryUsage.rss())),
    counter('aspy_process_cpu_seconds_total', 'Processor time of the process.', one(cpuSeconds())),
  ]
}

function ofTraffic(measures: Measures): Snapshot[] {
  const { limits } = measures
  return [
    counter('aspy_events_total', 'Events written, by kind.', by('kind', measures.events)),
    counter('aspy_tokens_total', 'Tokens, by model and type.', byBoth('model', 'type', measures.tokens)),
    counter('aspy_cost_usd_total', 'Cost at list or configured prices, by model.', by('model', measures.cost_usd)),
    counter('aspy_unpriced_calls_total', 'Calls to models without a price.', by('model', measures.unpriced)),
    counter(
      'aspy_responses_total',
      'Responses, by model and HTTP status; 0 for no response.',
      byBoth('model', 'status', measures.responses),
    ),
    counter('aspy_tool_calls_total', 'Tool results, by outcome.', byBoth('tool', 'outcome', measures.tool_calls)),
    counter(
      'aspy_api_errors_total',
      'Failed requests to the API, those that were retried included, by client.',
      by('client', measures.api_errors),
    ),
    counter(
      'aspy_failed_tool_calls_total',
      'Failed tool calls, without those that a person refused, by client.',
      by('client', measures.failed_tools),
    ),
    histogram(
      'aspy_request_duration_seconds',
      'Time from request to the end of the response.',
      'model',
      measures.request_seconds,
    ),
    histogram(
      'aspy_time_to_first_token_seconds',
      'Time from request to the first token.',
      'model',
      measures.first_token_seconds,
    ),
    histogram('aspy_tool_duration_seconds', 'Duration of tool calls.', 'tool', measures.tool_seconds),
    gauge(
      'aspy_limit_used_ratio',
      'Used share of a limit, by window and account.',
      limitsOf(limits, /^unified-(.+)-utilization$/),
    ),
    gauge(
      'aspy_limit_reset_time_seconds',
      'Time at which a limit resets, in seconds since 1970.',
      limitsOf(limits, /^(?:unified-)?(.+)-reset$/),
    ),
    gauge('aspy_limit', 'Limits of the API key.', limitsOf(limits, /^(.+)-limit$/)),
    gauge('aspy_limit_remaining', 'Remaining allowance, by limit.', limitsOf(limits, /^(.+)-remaining$/)),
  ]
}

const byBoth = (first: string, second: string, table: { readonly [name: string]: Counts }): Sample[] =>
  Object.entries(table).flatMap(([name, counts]) =>
    Object.entries(counts).map(([inner, value]) => ({ value, labels: { [first]: name, [second]: inner } })),
  )

const limitsOf = (limits: Measures['limits'], pattern: RegExp): Sample[] =>
  Object.entries(limits).flatMap(([account, counts]) =>
    Object.entries(counts).flatMap(([name, value]) => {
      const limit = pattern.exec(name)?.[1]
      return limit === undefined ? [] : [{ value, labels: { limit, account } }]
    }),
  )

function histogram(name: string, help: string, label: string, durations: Durations): Snapshot {
  const values = Object.entries(durations).flatMap(([of, { counts, sum }]) => {
    const labels = { [label]: of }
    const total = counts[BOUNDS.length] ?? 0
    return [
      ...BOUNDS.map((le, at) => ({ metricName: `${name}_bucket`, value: counts[at] ?? 0, labels: { ...labels, le } })),
      { metricName: `${name}_bucket`, value: total, labels: { ...labels, le: '+Inf' } },
      { metricName: `${name}_sum`, value: sum, labels },
      { metricName: `${name}_count`, value: total, labels },
    ]
  })
  return { name, help, type: 'histogram', values }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
