import { z } from 'zod'
import { bytes, days, milliseconds, port, words } from './config-values.ts'
import { sinkSections } from './config-sinks.ts'
import { EVENT_KINDS } from './event.ts'

/** Settings, by section, each with its default and what it does; read from `<data>/config.toml`. */

/** A pattern of the user's own, as JavaScript writes regular expressions; what it matches is removed. */
const ownPattern = z.strictObject({
  /** Stands in the mark: `[redacted:<name>:3f2a]`. */
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'lower-case letters, digits and hyphens, at most 40'),
  pattern: z
    .string()
    .min(1)
    .superRefine((pattern, context) => {
      const fault = faultOfPattern(pattern)
      if (fault !== null) context.addIssue({ code: 'custom', message: fault })
    }),
  ignore_case: z.boolean().optional(),
})

const usd = z.number().min(0).max(1_000_000)
/** The price of a model in USD per million tokens. */
const ownPrice = z.strictObject({
  model: z.string().min(1),
  input: usd,
  output: usd,
  cache_read: usd,
  cache_write_5m: usd,
  cache_write_1h: usd,
  /** Holds from this day on. */
  from: z.iso.date().optional(),
})

const projectBudget = z.strictObject({
  /** The working directory of its sessions. */
  project: z.string().min(1),
  daily_usd: usd.optional(),
  weekly_usd: usd.optional(),
  monthly_usd: usd.optional(),
})

/** What is wrong with a pattern; null: nothing. It is tried on nothing but an empty text. */
function faultOfPattern(pattern: string): string | null {
  try {
    return new RegExp(pattern).test('') ? 'it matches an empty text, so it would match everywhere' : null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const ownModule = z.strictObject({
  /** An ES module, relative to the data folder. */
  path: z.string().min(1),
  /** How Health calls it; the file's name where none is given. */
  name: z.string().min(1).max(60).optional(),
  /** Given to the processor as `context.config`. */
  options: z.record(z.string(), z.unknown()).optional(),
})

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
      close_to_tray: z
        .boolean()
        .default(true)
        .describe('Desktop: closing the window leaves Aspy recording, in the tray; off: it quits.'),
      recall_shortcut: z
        .string()
        .max(60)
        .default('CommandOrControl+Alt+R')
        .describe('Desktop: the keys that open Recall from any program; empty: none.'),
      start_at_login: z
        .boolean()
        .default(false)
        .describe('Desktop: start when you log in, in the tray, so that the proxy is served from then on.'),
      update_url: z
        .string()
        .regex(/^(https:\/\/\S+)?$/, 'an address that begins with https://')
        .default('')
        .describe(
          'Desktop, packaged: the folder on the web that new versions are fetched from; empty: nobody is asked for any.',
        ),
    })
    .prefault({}),
  lifestats: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe('Record to the database; off: proxy and live view go on, nothing is stored.'),
      db_path: z.string().default('lifestats.db').describe('Database file, relative to the data folder.'),
      store_thinking: z.boolean().default(true).describe('Keep what thinking says; off: only that there was some.'),
      store_tool_io: z
        .boolean()
        .default(true)
        .describe('Keep inputs and outputs of tools; off: only which ran, how long and whether it worked.'),
      max_thinking_size: bytes
        .default(100_000)
        .describe('Bytes of a thinking block that are kept; what was cut is said at its end.'),
      max_prompt_size: bytes
        .default(1_000_000)
        .describe('Bytes of a prompt that are kept; what was cut is said at its end.'),
      retention_days: days
        .default(90)
        .describe(
          'After so many days what requests carried and tools were given and gave moves to compressed archives; all else stays, and what moved is still opened as before. 0: never.',
        ),
      archive_days: days
        .default(365)
        .describe('So many days after something was last added to an archive it is removed. 0: never.'),
      delete_days: days
        .default(0)
        .describe(
          'Sessions of which nothing was heard for so many days are deleted for good, but for pinned ones. 0: never.',
        ),
    })
    .prefault({}),
  redaction: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe('Remove secrets before anything is stored. Headers keep to their list all the same.'),
      mask_emails: z.boolean().default(false).describe('Remove e-mail addresses too.'),
      mask_home: z.boolean().default(false).describe('Write your home folder as ~, so that paths do not name you.'),
      keyword_rules: z
        .boolean()
        .default(false)
        .describe(
          'Remove also what stands behind words like password, secret and token in lower case: finds more, marks some harmless text, and is slower.',
        ),
      patterns: z
        .array(ownPattern)
        .default([])
        .describe(
          'Your own patterns: a list of { name, pattern }, and ignore_case = true where wanted. With them, text is shown only when its block is whole, not while it is written.',
        ),
      pattern_timeout_ms: milliseconds
        .default(500)
        .describe(
          'How long your own patterns may take for one text. A text without an answer in time is left out and counted, never stored as it was.',
        ),
      text_timeout_ms: milliseconds
        .default(2000)
        .describe(
          'How long the built-in rules may take for one text, in ms of processor time. What was not looked through in time is left out and counted, never stored as it was.',
        ),
    })
    .prefault({}),
  filter: z
    .strictObject({
      drop_kinds: z
        .array(z.enum(EVENT_KINDS))
        .default([])
        .describe('Kinds of events that are not recorded. Requests still hold the conversation they carry.'),
      drop_projects: words.describe(
        'Projects that are not recorded: working directories, * for any part of a name, ** for folders below.',
      ),
      drop_agents: words.describe('Types of subagents that are not recorded; * for all subagents.'),
      drop_tools: words.describe(
        'Tools whose calls and results are not recorded, in requests neither; * for any part of a name.',
      ),
      drop_texts: words.describe(
        'What holds one of these texts, in upper or lower case, is not recorded, in requests neither.',
      ),
      sample: z
        .partialRecord(z.enum(EVENT_KINDS), z.number().min(0).max(1))
        .default({})
        .describe('The share of events of a kind that is recorded, from 0 to 1, such as { tool_result = 0.1 }.'),
    })
    .prefault({}),
  pricing: z
    .strictObject({
      models: z
        .array(ownPrice)
        .default([])
        .describe(
          'Your own prices, in USD per million tokens, in place of the list price of a model: a list of { model, input, output, cache_read, cache_write_5m, cache_write_1h }, and from = "2026-11-01" where a price begins later. For what was recorded before: aspy reprice.',
        ),
    })
    .prefault({}),
  processors: z
    .strictObject({
      modules: z
        .array(ownModule)
        .default([])
        .describe(
          'Your own processors, in order: a list of { path, name, options }; path is an ES module, relative to the data folder. With them, text is shown only when its block is whole.',
        ),
      timeout_ms: milliseconds
        .default(1000)
        .describe(
          'How long a processor of yours may take for the events that are written together; past it, they go on as they were.',
        ),
    })
    .prefault({}),
  ...sinkSections,
  notices: z
    .strictObject({
      after_compaction: z
        .boolean()
        .default(true)
        .describe('Tell the model of a compacted session, in one line, what is kept of it and how to recall it.'),
      budget_reached: z
        .boolean()
        .default(true)
        .describe('Desktop: tell you when 80 % and 100 % of a budget are spent.'),
      capture_stopped: z
        .boolean()
        .default(true)
        .describe('Desktop: tell you when recording stops, and when the recorder had to be started again.'),
      long_turn_minutes: z
        .number()
        .min(0)
        .max(1440)
        .default(3)
        .describe('Desktop: tell you when a turn ends that took so long, while you look elsewhere; 0: never.'),
    })
    .prefault({}),
  budgets: z
    .strictObject({
      daily_usd: usd
        .default(0)
        .describe(
          'What may be spent in a day, in USD at API list prices; you are told at 80 % and at 100 %. 0: no budget.',
        ),
      weekly_usd: usd.default(0).describe('What may be spent in a week, from Monday; 0: no budget.'),
      monthly_usd: usd.default(0).describe('What may be spent in a calendar month; 0: no budget.'),
      projects: z
        .array(projectBudget)
        .default([])
        .describe(
          'Budgets of single projects: a list of { project, daily_usd, weekly_usd, monthly_usd }; project is a working directory.',
        ),
    })
    .prefault({}),
  transcripts: z
    .strictObject({
      folders: z.array(z.string().min(1)).default([]).describe("Folders with transcripts besides Claude Code's own."),
      follow: z
        .boolean()
        .default(true)
        .describe('Read what is appended to folders of transcripts, from their first import on.'),
    })
    .prefault({}),
})

export type Config = z.output<typeof configSchema>
/** A price of the user's own; USD per million tokens. */
export type OwnPrice = Config['pricing']['models'][number]
export type ConfigInput = z.input<typeof configSchema>
