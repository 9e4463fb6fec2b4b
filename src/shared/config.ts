import { z } from 'zod'
import { bytes, days, milliseconds, port, words } from './config-values.ts'
import { filesSection } from './config-files.ts'
import { guardSection } from './config-guard.ts'
import { proxySection } from './config-proxy.ts'
import { sinkSections } from './config-sinks.ts'
import { noticesSection } from './config-notices.ts'
import { teamSection } from './config-team.ts'
import { EVENT_KINDS } from './event.ts'
import { errorMessage } from './error-text.ts'

/** Settings by section, each with its default and description; read from `<data>/config.toml`. */

/** A pattern of the user, a JavaScript regular expression; its matches are removed. */
const ownPattern = z.strictObject({
  /** Shown in the placeholder: `[redacted:<name>:3f2a]`. */
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
  /** Applies from this day on. */
  from: z.iso.date().optional(),
})

const projectBudget = z.strictObject({
  /** The working directory of the sessions. */
  project: z.string().min(1),
  daily_usd: usd.optional(),
  weekly_usd: usd.optional(),
  monthly_usd: usd.optional(),
})

/** Returns the error in a pattern, or null. The pattern is only tested on an empty text. */
function faultOfPattern(pattern: string): string | null {
  try {
    return new RegExp(pattern).test('') ? 'it matches an empty text, so it would match everywhere' : null
  } catch (error) {
    return errorMessage(error)
  }
}

const ownModule = z.strictObject({
  /** An ES module, relative to the data folder. */
  path: z.string().min(1),
  /** Name in Health; by default, the file's name. */
  name: z.string().min(1).max(60).optional(),
  /** Passed to the processor as `context.config`. */
  options: z.record(z.string(), z.unknown()).optional(),
})

export const configSchema = z.strictObject({
  proxy: proxySection,
  app: z
    .strictObject({
      port: port.default(2780).describe('Port of the dashboard, API, MCP and hooks on 127.0.0.1. 0 picks a free port.'),
      allowed_hosts: z
        .array(z.string())
        .default([])
        .describe('Additional host names (with port) to accept, for tunnels and containers.'),
      theme: z
        .enum(['system', 'light', 'dark', 'solarized-light', 'solarized-dark'])
        .default('system')
        .describe('Color theme of the window.'),
      show_images: z
        .boolean()
        .default(false)
        .describe(
          "Show images in sessions. Aspy keeps none: each is read from the client's own transcript, while that still has it.",
        ),
      close_to_tray: z
        .boolean()
        .default(true)
        .describe('Desktop: keep recording in the tray when the window is closed. Off: quit.'),
      recall_shortcut: z
        .string()
        .max(60)
        .default('CommandOrControl+Alt+R')
        .describe('Desktop: global keyboard shortcut for Recall. Empty: none.'),
      start_at_login: z
        .boolean()
        .default(false)
        .describe('Desktop: start in the tray when you log in, so that the proxy is always available.'),
      update_url: z
        .string()
        .regex(/^(https:\/\/\S+)?$/, 'an address that begins with https://')
        .default('')
        .describe('Desktop, packaged: web folder to download updates from. Empty: never check for updates.'),
    })
    .prefault({}),
  lifestats: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe('Record to the database. Off: the proxy and the Live view keep working, but nothing is stored.'),
      db_path: z.string().default('lifestats.db').describe('Database file, relative to the data folder.'),
      store_thinking: z
        .boolean()
        .default(true)
        .describe('Store the text of thinking. Off: store only that there was some.'),
      store_tool_io: z
        .boolean()
        .default(true)
        .describe('Store tool inputs and outputs. Off: store only the tool, its duration and whether it succeeded.'),
      max_thinking_size: bytes
        .default(100_000)
        .describe('Maximum bytes stored of a thinking block. Longer text is cut, with a note at the end.'),
      max_prompt_size: bytes
        .default(1_000_000)
        .describe('Maximum bytes stored of a prompt. Longer text is cut, with a note at the end.'),
      retention_days: days
        .default(90)
        .describe(
          'Move request bodies and tool inputs and outputs to compressed archives after this many days. They can still be opened. 0: never.',
        ),
      archive_days: days
        .default(365)
        .describe('Delete an archive this many days after something was last added to it. 0: never.'),
      delete_days: days
        .default(0)
        .describe('Permanently delete sessions without activity for this many days, except pinned ones. 0: never.'),
    })
    .prefault({}),
  ...filesSection,
  redaction: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe('Remove secrets before anything is stored. Headers are always limited to an allow list.'),
      mask_emails: z.boolean().default(false).describe('Also remove email addresses.'),
      mask_home: z
        .boolean()
        .default(false)
        .describe('Replace your home folder with ~, so that paths do not reveal your name.'),
      keyword_rules: z
        .boolean()
        .default(false)
        .describe(
          'Also remove any text after words like password, secret and token, even within a sentence or where it may be code. Removes some harmless text and is slower.',
        ),
      patterns: z
        .array(ownPattern)
        .default([])
        .describe(
          'Regular expressions whose matches are removed, each with a name that is stored in their place. With patterns set, text appears only when its block is complete, not while it streams.',
        ),
      pattern_timeout_ms: milliseconds
        .default(500)
        .describe(
          'Time limit in ms for your own patterns on one text. A text that exceeds it is omitted and counted, never stored unredacted.',
        ),
      text_timeout_ms: milliseconds
        .default(2000)
        .describe(
          'Processor time limit in ms for the built-in rules on one text. Text not checked in time is omitted and counted, never stored unredacted.',
        ),
    })
    .prefault({}),
  filter: z
    .strictObject({
      drop_kinds: z
        .array(z.enum(EVENT_KINDS))
        .default([])
        .describe('Kinds of events not to record. Requests still contain the conversation they carry.'),
      drop_projects: words.describe(
        'Projects not to record: working directories, with * for any part of a name and ** for subfolders.',
      ),
      drop_agents: words.describe('Types of subagents not to record. * means all subagents.'),
      drop_tools: words.describe(
        'Tools whose calls and results are not recorded, including in requests. * matches any part of a name.',
      ),
      drop_texts: words.describe(
        'Anything that contains one of these texts is not recorded, including in requests. Case is ignored.',
      ),
      sample: z
        .partialRecord(z.enum(EVENT_KINDS), z.number().min(0).max(1))
        .default({})
        .describe('Share of events of a kind to record, from 0 to 1.'),
    })
    .prefault({}),
  pricing: z
    .strictObject({
      models: z
        .array(ownPrice)
        .default([])
        .describe(
          'Your own prices in USD per million tokens, instead of list prices, optionally from a day on, such as 2026-11-01. To update past costs, run aspy reprice.',
        ),
    })
    .prefault({}),
  processors: z
    .strictObject({
      modules: z
        .array(ownModule)
        .default([])
        .describe(
          'Your own processors, in order. Each is an ES module, its path relative to the data folder. With processors set, text appears only when its block is complete.',
        ),
      timeout_ms: milliseconds
        .default(1000)
        .describe(
          'Time limit in ms for a processor on one batch of events. If it takes longer, the events continue unchanged.',
        ),
    })
    .prefault({}),
  ...sinkSections,
  ...teamSection,
  ...noticesSection,
  budgets: z
    .strictObject({
      daily_usd: usd
        .default(0)
        .describe('Budget per day, in USD at API list prices. You are notified at 80% and 100%. 0: no budget.'),
      weekly_usd: usd.default(0).describe('Budget per week, from Monday. 0: no budget.'),
      monthly_usd: usd.default(0).describe('Budget per calendar month. 0: no budget.'),
      projects: z
        .array(projectBudget)
        .default([])
        .describe('Budgets of individual projects, by their working directory.'),
    })
    .prefault({}),
  limits: z
    .strictObject({
      accounts: z
        .record(
          z
            .string()
            .regex(
              /^[0-9a-f]{6,32}(?:-[0-9a-f]{0,32})?$/,
              'the beginning of an account as `aspy limits` shows it, such as 3f2a9c1b',
            ),
          z.string().trim().min(1).max(40),
        )
        .default({})
        .describe(
          'Names of the accounts whose limits are shown, by the digits that are shown without a name, such as 3f2a9c1b.',
        ),
    })
    .prefault({}),
  guard: guardSection,
  transcripts: z
    .strictObject({
      folders: z
        .array(z.string().min(1))
        .default([])
        .describe("Additional folders with transcripts, besides Claude Code's own."),
      codex_folders: z
        .array(z.string().min(1))
        .default([])
        .describe('Additional folders of Codex, besides `~/.codex` and the one that `CODEX_HOME` names.'),
      follow: z
        .boolean()
        .default(true)
        .describe('After the first import of a folder, keep importing new lines from its transcripts.'),
    })
    .prefault({}),
})

export type Config = z.output<typeof configSchema>
/** A user's own price, in USD per million tokens. */
export type OwnPrice = Config['pricing']['models'][number]
export type ConfigInput = z.input<typeof configSchema>
