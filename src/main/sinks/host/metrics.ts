import type { Metric } from 'prom-client'
import type { Health } from '../../../shared/contract/health.ts'
import { BOUNDS } from '../measures.ts'
import type { Counts, Durations, Measures } from '../measures.ts'

/** `/metrics`: what Health and the recorder say, as Prometheus reads it. */
export interface Metrics {
  /** The page of one scrape. */
  page(): Promise<{ readonly contentType: string; readonly text: string }>
}

export interface MetricsOptions {
  health(): Promise<Health>
  measures(): Measures
  /** Sessions that said something in the last minutes. */
  activeSessions(): number
}

/** Reasons that stand on the page from the start, so that a first drop is seen as a rise. */
const REASONS = ['queue_full', 'recorder_failed', 'decode_failed', 'spool_full', 'redaction_timeout', 'session_log']

/** A line of the page, as prom-client takes it. */
interface Sample {
  readonly value: number
  readonly labels?: { readonly [name: string]: string | number }
  readonly metricName?: string
}

interface Snapshot {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly values: readonly Sample[]
}

/** The library is loaded with the first scrape. */
export function createMetrics({ health, measures, activeSessions }: MetricsOptions): Metrics {
  return {
    async page() {
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
const by = (label: string, counts: Counts): Sample[] =>
  Object.entries(counts).map(([name, value]) => ({ value, labels: { [label]: name } }))

function ofApp(health: Health, sessions: number): Snapshot[] {
  const dropped = { ...Object.fromEntries(REASONS.map((reason) => [reason, 0])), ...health.dropped }
  const { processors, sinks } = health
  return [
    gauge('aspy_info', 'The version that runs.', [{ value: 1, labels: { version: health.version } }]),
    gauge(
      'aspy_start_time_seconds',
      'When it started, in seconds since 1970.',
      one(Date.parse(health.started_at) / 1000),
    ),
    gauge('aspy_up', '1: all is recorded; 0: something needs a look, see Health.', one(Number(health.status === 'ok'))),
    gauge('aspy_queue_bytes', 'Captured bytes that wait for the recorder.', one(health.queue_bytes)),
    gauge('aspy_queue_max_bytes', 'How many may wait; past it, exchanges are dropped.', one(health.max_queue_bytes)),
    gauge('aspy_exchanges_in_flight', 'Exchanges under way.', one(health.in_flight)),
    counter('aspy_exchanges_seen_total', 'Exchanges that passed the proxy.', one(health.exchanges_seen)),
    counter('aspy_exchanges_recorded_total', 'Exchanges that were recorded.', one(health.exchanges_recorded)),
    gauge(
      'aspy_commit_lag_seconds',
      'From arrival to commit, of the last batch.',
      one(health.commit_lag_ms === null ? null : health.commit_lag_ms / 1000),
    ),
    counter('aspy_events_dropped_total', 'What was not recorded, by reason.', by('reason', dropped)),
    gauge('aspy_events_spooled', 'Events that wait on disk for the database.', one(health.spooled)),
    gauge(
      'aspy_recorder_running',
      '1 while the recorder writes to the database.',
      one(Number(health.recorder === 'running')),
    ),
    counter(
      'aspy_recorder_restarts_total',
      'How often the recorder had to be started again.',
      one(health.recorder_restarts),
    ),
    counter('aspy_secrets_removed_total', 'Secrets taken out, by rule.', by('rule', health.redacted)),
    gauge('aspy_sessions_active', 'Sessions with an event in the last five minutes.', one(sessions)),
    gauge('aspy_database_bytes', 'Size of the database.', one(health.database_bytes)),
    gauge('aspy_database_events', 'Events in the database.', one(health.events_total)),
    counter(
      'aspy_processor_events_total',
      'Events that each step of the pipeline saw, dropped or failed at.',
      processors.flatMap(({ name, seen, dropped, errors }) =>
        Object.entries({ seen, dropped, failed: errors }).map(([outcome, value]) => ({
          value,
          labels: { processor: name, outcome },
        })),
      ),
    ),
    gauge(
      'aspy_sink_up',
      '1 while a sink delivers, 0 while it cannot.',
      sinks.map(({ name, problem }) => ({ value: Number(problem === null), labels: { sink: name } })),
    ),
    counter(
      'aspy_sink_delivered_total',
      'What each sink delivered: lines, events, turns.',
      sinks.map(({ name, delivered }) => ({ value: delivered, labels: { sink: name } })),
    ),
    gauge(
      'aspy_sink_waiting',
      'What waits to be delivered.',
      sinks.map(({ name, waiting }) => ({ value: waiting, labels: { sink: name } })),
    ),
    counter(
      'aspy_sink_dropped_total',
      'What a sink gave up, by reason.',
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
    counter('aspy_cost_usd_total', 'Cost at list price or your own, by model.', by('model', measures.cost_usd)),
    counter('aspy_unpriced_calls_total', 'Calls of models without a price.', by('model', measures.unpriced)),
    counter(
      'aspy_responses_total',
      'Responses, by model and status; 0: none came.',
      byBoth('model', 'status', measures.responses),
    ),
    counter('aspy_tool_calls_total', 'Results of tools, by outcome.', byBoth('tool', 'outcome', measures.tool_calls)),
    histogram(
      'aspy_request_duration_seconds',
      'From request to the end of its response.',
      'model',
      measures.request_seconds,
    ),
    histogram(
      'aspy_time_to_first_token_seconds',
      'From request to the first token.',
      'model',
      measures.first_token_seconds,
    ),
    histogram('aspy_tool_duration_seconds', 'How long tools took.', 'tool', measures.tool_seconds),
    gauge(
      'aspy_limit_used_ratio',
      'Share of a limit that is used, by window.',
      limitsOf(limits, /^unified-(.+)-utilization$/),
    ),
    gauge(
      'aspy_limit_reset_time_seconds',
      'When a limit begins anew, in seconds since 1970.',
      limitsOf(limits, /^(?:unified-)?(.+)-reset$/),
    ),
    gauge('aspy_limit', 'Limits of the API key, by what they limit.', limitsOf(limits, /^(.+)-limit$/)),
    gauge('aspy_limit_remaining', 'What is left of them.', limitsOf(limits, /^(.+)-remaining$/)),
  ]
}

const byBoth = (first: string, second: string, table: { readonly [name: string]: Counts }): Sample[] =>
  Object.entries(table).flatMap(([name, counts]) =>
    Object.entries(counts).map(([inner, value]) => ({ value, labels: { [first]: name, [second]: inner } })),
  )

const limitsOf = (limits: Counts, pattern: RegExp): Sample[] =>
  Object.entries(limits).flatMap(([name, value]) => {
    const limit = pattern.exec(name)?.[1]
    return limit === undefined ? [] : [{ value, labels: { limit } }]
  })

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
