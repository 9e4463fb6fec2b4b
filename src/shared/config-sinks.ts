import { z } from 'zod'
import { bytes, httpAddress, words } from './config-values.ts'
import { EVENT_KINDS } from './event.ts'

/** Settings of what takes recorded events away: session logs, metrics, webhook, OpenTelemetry. */
export const sinkSections = {
  session_log: z
    .strictObject({
      enabled: z.boolean().default(true).describe('Write logs/session-<id>.jsonl, a line an event.'),
      max_file_bytes: bytes
        .default(64 * 1024 * 1024)
        .describe('A log that grows past this goes on in a new file; the full one is put aside. 0: never.'),
      compress: z
        .enum(['gzip', 'zstd', 'none'])
        .default('gzip')
        .describe('How full files of a log are compressed once they are put aside.'),
      retention_days: z
        .number()
        .int()
        .min(0)
        .default(90)
        .describe(
          'Files of logs are removed so many days after their last line; the database keeps its events. 0: never.',
        ),
      max_total_bytes: bytes
        .default(2 * 1024 * 1024 * 1024)
        .describe(
          'Past this the files of logs that rested longest are removed; the database keeps its events. 0: no bound.',
        ),
    })
    .prefault({}),
  metrics: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe('Answer GET /metrics for Prometheus; the key in the file "metrics" of the data folder opens it.'),
    })
    .prefault({}),
  webhook: z
    .strictObject({
      url: httpAddress.describe('Where recorded events are sent, as signed JSON; empty: nowhere.'),
      secret_file: z
        .string()
        .min(1)
        .default('webhook.secret')
        .describe(
          'File with the secret that signs what is sent, relative to the data folder; where there is none, one is made.',
        ),
      kinds: z.array(z.enum(EVENT_KINDS)).default([]).describe('Kinds of events that are sent; none named: all.'),
      projects: words.describe(
        'Projects whose events are sent: working directories, * for any part of a name, ** for folders below; none named: all.',
      ),
      batch_size: z.number().int().min(1).max(1000).default(100).describe('Events that are sent together at most.'),
      interval_ms: z
        .number()
        .int()
        .min(0)
        .max(3_600_000)
        .default(1000)
        .describe('How long the first event of a batch waits for others.'),
      timeout_ms: z
        .number()
        .int()
        .min(100)
        .max(120_000)
        .default(10_000)
        .describe('How long the other side may take to answer.'),
      max_waiting: z
        .number()
        .int()
        .min(1)
        .default(100_000)
        .describe('Events that may wait while the other side is down; past it the oldest are not sent, and counted.'),
    })
    .prefault({}),
  otel: z
    .strictObject({
      endpoint: httpAddress.describe(
        'An OpenTelemetry collector that takes OTLP over HTTP, such as http://127.0.0.1:4318: each turn is sent there as a trace; empty: none.',
      ),
      content: z
        .boolean()
        .default(false)
        .describe('Send prompts, answers, inputs and results of tools along; off: names, times and numbers alone.'),
      headers_file: z
        .string()
        .default('')
        .describe(
          'File with further headers for the collector, one "name: value" a line, relative to the data folder; empty: none.',
        ),
      max_waiting: z
        .number()
        .int()
        .min(1)
        .default(1000)
        .describe('Turns that may wait while the collector is down; past it the oldest are not sent, and counted.'),
    })
    .prefault({}),
}
