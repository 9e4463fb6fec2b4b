import { z } from 'zod'
import { bytes, httpAddress, words } from './config-values.ts'
import { EVENT_KINDS } from './event.ts'
import { HOUR_MS } from './time-units.ts'

/** Settings of the outputs for recorded events: session logs, metrics, webhook, OpenTelemetry. */
export const sinkSections = {
  session_log: z
    .strictObject({
      enabled: z.boolean().default(true).describe('Write logs/session-<id>.jsonl with one line per event.'),
      max_file_bytes: bytes
        .default(64 * 1024 * 1024)
        .describe('Size in bytes at which a log is rotated to a new file. 0: never.'),
      compress: z.enum(['gzip', 'zstd', 'none']).default('gzip').describe('Compression of rotated log files.'),
      retention_days: z
        .number()
        .int()
        .min(0)
        .default(90)
        .describe('Delete log files this many days after their last line. The database keeps the events. 0: never.'),
      max_total_bytes: bytes
        .default(2 * 1024 * 1024 * 1024)
        .describe(
          'Total size of log files in bytes. Above it, the least recently written files are deleted; the database keeps the events. 0: no limit.',
        ),
    })
    .prefault({}),
  metrics: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe(
          'Serve GET /metrics for Prometheus. Authenticate with the key in the file "metrics" of the data folder.',
        ),
    })
    .prefault({}),
  webhook: z
    .strictObject({
      url: httpAddress.describe('Address that receives recorded events as signed JSON. Empty: none.'),
      secret_file: z
        .string()
        .min(1)
        .default('webhook.secret')
        .describe('File with the signing secret, relative to the data folder. Created if missing.'),
      kinds: z.array(z.enum(EVENT_KINDS)).default([]).describe('Kinds of events to send. Empty: all.'),
      projects: words.describe(
        'Projects to send: working directories, with * for any part of a name and ** for subfolders. Empty: all.',
      ),
      batch_size: z.number().int().min(1).max(1000).default(100).describe('Maximum number of events in one request.'),
      interval_ms: z
        .number()
        .int()
        .min(0)
        .max(HOUR_MS)
        .default(1000)
        .describe('Time in ms that the first event of a batch waits for others.'),
      timeout_ms: z.number().int().min(100).max(120_000).default(10_000).describe('Time in ms to wait for a response.'),
      max_waiting: z
        .number()
        .int()
        .min(1)
        .default(100_000)
        .describe(
          'Maximum number of events queued while the receiver is down. Above it, the oldest are skipped and counted.',
        ),
    })
    .prefault({}),
  otel: z
    .strictObject({
      endpoint: httpAddress.describe(
        'OpenTelemetry collector (OTLP over HTTP), such as http://127.0.0.1:4318. Each turn is sent as a trace. Empty: none.',
      ),
      content: z
        .boolean()
        .default(false)
        .describe('Include prompts, answers, and tool inputs and results. Off: only names, times and numbers.'),
      headers_file: z
        .string()
        .default('')
        .describe(
          'File with extra headers for the collector, one "name: value" per line, relative to the data folder. Empty: none.',
        ),
      max_waiting: z
        .number()
        .int()
        .min(1)
        .default(1000)
        .describe(
          'Maximum number of turns queued while the collector is down. Above it, the oldest are skipped and counted.',
        ),
    })
    .prefault({}),
}
