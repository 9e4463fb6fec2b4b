import { z } from 'zod'
import { operation } from './operation.ts'
import { tunnelHealth } from './tunnel.ts'

/**
 * Steps to resolve a warning. `text` is complete on its own; the other fields let a window offer the step itself: a
 * command to run, or a setting to open (`key` null: the whole section).
 */
export const warningFix = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('command'), text: z.string(), command: z.string() }),
  z.object({ kind: z.literal('setting'), text: z.string(), section: z.string(), key: z.string().nullable() }),
])
export type WarningFix = z.infer<typeof warningFix>

export const health = z.object({
  status: z.enum(['ok', 'degraded']),
  /** Random ID of this run, also in `app.json`. */
  id: z.string(),
  version: z.string(),
  pid: z.number(),
  /** True if it shows recorded sessions in a temporary folder. */
  is_demo: z.literal(true).optional(),
  started_at: z.string(),
  proxy_url: z.string().nullable(),
  app_url: z.string().nullable(),
  /** Address of full mode's tunnel. */
  tunnel: z.string().nullable(),
  tunnels: tunnelHealth,
  data: z.string(),
  /** Where requests go whose client names no gateway. */
  upstream: z.string(),
  /** Gateways that clients had as base URL: their requests go there instead. Without credentials. */
  gateways: z.array(z.string()).optional(),
  /** Upstreams of requests below the prefix /openai/v1. */
  upstreams: z.object({ openai: z.string(), chatgpt: z.string() }).optional(),
  queue_bytes: z.number(),
  max_queue_bytes: z.number(),
  in_flight: z.number(),
  exchanges_seen: z.number(),
  exchanges_recorded: z.number(),
  /** Milliseconds from the arrival of the last committed batch to its commit. */
  commit_lag_ms: z.number().nullable(),
  /** Age of the oldest complete exchange or hook that is not recorded yet; 0 if none waits. A kill loses nothing older. */
  recorder_lag_ms: z.number(),
  /** From the end of an exchange to its record, over the last five minutes; null if there were none. */
  recorder_lag_p50_ms: z.number().nullable(),
  recorder_lag_p99_ms: z.number().nullable(),
  events_written: z.number(),
  dropped: z.record(z.string(), z.number()),
  /** Events that wait on disk because the database could not be written. */
  spooled: z.number(),
  recorder: z.enum(['running', 'restarting', 'spooling', 'failed', 'off']),
  recorder_restarts: z.number(),
  unpriced_models: z.array(z.string()),
  unknown: z.record(z.string(), z.number()),
  redacted: z.record(z.string(), z.number()),
  processors: z.array(
    z.object({
      name: z.string(),
      seen: z.number(),
      dropped: z.number(),
      errors: z.number(),
      /** The reason why it is no longer called; null while it is called. */
      disabled: z.string().nullable(),
      /** Number of times that it did not answer in time. */
      late: z.number(),
      /** Its slowest answer, in milliseconds; null if it gave none or is not measured. */
      slowest_ms: z.number().nullable(),
    }),
  ),
  /** Outputs for events, as configured: session logs, webhook, OpenTelemetry, team. */
  sinks: z.array(
    z.object({
      name: z.enum(['session_log', 'webhook', 'otel', 'team']),
      /** The folder or host that receives the data. */
      target: z.string(),
      /** Lines, events or turns since the start. */
      delivered: z.number(),
      waiting: z.number(),
      /** Items given up, by reason. */
      dropped: z.record(z.string(), z.number()),
      /** The reason why it cannot deliver at the moment, as a message; null if it can. */
      problem: z.string().nullable(),
    }),
  ),
  /** Problems, most severe first, and how to resolve them. */
  warnings: z.array(z.object({ code: z.string(), message: z.string(), fix: warningFix })),
  cost_today_usd: z.number().nullable(),
  database_bytes: z.number().nullable(),
  /** The last run that archived or removed data because of its age; null if it never ran, or recording is off. */
  archive: z
    .object({
      ran_at: z.string(),
      events_moved: z.number(),
      archives_removed: z.number(),
      sessions_forgotten: z.number(),
      /** Size of all archives, compressed. */
      bytes: z.number(),
    })
    .nullable(),
  events_total: z.number().nullable(),
  /** Sessions with requests that reached the proxy without the path secret. */
  unproven_sessions: z.number().nullable(),
  /** The running files compared with the list in the installed package; a clone is not a release. */
  files: z.object({
    state: z.enum(['not_a_release', 'intact', 'changed']),
    /** Those that differ, are missing, or do not belong to the package. */
    differing: z.array(z.string()),
  }),
})
export type Health = z.infer<typeof health>

export const healthGet = operation({
  name: 'health.get',
  summary: 'Queue, lag, drops, spool, processors, and what to do about each warning.',
  place: 'main',
  output: health,
})

const setting = z.object({
  key: z.string(),
  /** The value in force. */
  value: z.unknown(),
  /** The value in the file, used at the next start, if it differs. */
  next: z.unknown().optional(),
  default: z.unknown(),
  origin: z.enum(['flag', 'environment', 'file', 'default']),
  /** The environment variable that overrides the file. */
  variable: z.string(),
  description: z.string(),
  /** Whether a change applies at once or at the next start. */
  applies: z.enum(['now', 'restart']),
  /** JSON Schema of the value. */
  form: z.looseObject({}),
})

export const configSet = operation({
  name: 'config.set',
  summary: 'Write one setting to the config file, keeping comments; applies it at once if possible.',
  place: 'main',
  writes: true,
  /** value null: restores the default. */
  input: z.object({ key: z.string().max(100), value: z.unknown() }),
  output: setting,
})

export const configGet = operation({
  name: 'config.get',
  summary: 'Every setting, its value, where it comes from and what it does.',
  place: 'main',
  output: z.object({ items: z.array(setting) }),
})
