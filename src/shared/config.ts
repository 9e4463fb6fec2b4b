import { z } from 'zod'

/** Settings, by section, each with its default and what it does; read from `<data>/config.toml`. */

const bytes = z.number().int().min(0)
const port = z.number().int().min(0).max(65_535)
const days = z.number().int().min(0).max(36_500)

export const configSchema = z.strictObject({
  proxy: z
    .strictObject({
      port: port.default(2779).describe('Port of the proxy on 127.0.0.1; 0: any free one.'),
      upstream: z
        .url({ protocol: /^https?$/ })
        .default('https://api.anthropic.com')
        .describe('Where requests go.'),
      max_queue_bytes: bytes
        .default(64 * 1024 * 1024)
        .describe(
          'How much captured traffic may wait for the recorder; past it, whole exchanges are not recorded, and counted.',
        ),
    })
    .prefault({}),
  app: z
    .strictObject({
      port: port.default(2780).describe('Port of the window, API, MCP and hooks on 127.0.0.1; 0: any free one.'),
      allowed_hosts: z
        .array(z.string())
        .default([])
        .describe('Further host names (with port) that may be asked for, for tunnels and containers.'),
      theme: z
        .enum(['system', 'light', 'dark', 'solarized-light', 'solarized-dark'])
        .default('system')
        .describe('Colours of the window.'),
    })
    .prefault({}),
  lifestats: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe('Record to the database; off: proxy and live view go on, nothing is stored.'),
      db_path: z.string().default('lifestats.db').describe('Database file, relative to the data folder.'),
      store_thinking: z.boolean().default(true).describe('Keep thinking blocks.'),
      store_tool_io: z.boolean().default(true).describe('Keep inputs and outputs of tools.'),
      max_thinking_size: bytes.default(100_000).describe('Bytes of a thinking block that are kept.'),
      max_prompt_size: bytes.default(1_000_000).describe('Bytes of a prompt that are kept.'),
      retention_days: days
        .default(90)
        .describe('After this many days the payloads of requests and tools move to archives; 0: never.'),
      archive_days: days.default(365).describe('Archives are removed this many days after archiving; 0: never.'),
      delete_days: days.default(0).describe('After this many days sessions are deleted altogether; 0: never.'),
    })
    .prefault({}),
  redaction: z
    .strictObject({
      enabled: z.boolean().default(true).describe('Remove secrets before anything is stored.'),
    })
    .prefault({}),
  session_log: z
    .strictObject({
      enabled: z.boolean().default(true).describe('Write logs/session-<id>.jsonl, a line an event.'),
    })
    .prefault({}),
})

export type Config = z.output<typeof configSchema>
export type ConfigInput = z.input<typeof configSchema>
