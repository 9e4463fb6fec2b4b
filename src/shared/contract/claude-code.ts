import { z } from 'zod'
import { operation } from './operation.ts'

const done = z.object({
  /** What was done, a line each, for a person. */
  done: z.array(z.string()),
})

export const claudeCodeStatus = operation({
  name: 'claude_code.status',
  summary: 'How Claude Code is set up on this machine: the plugin, thinking summaries, a base URL. Changes nothing.',
  place: 'main',
  input: z.object({}),
  output: z.object({
    /** Why this app can set nothing up, for a person; null: it can. */
    refusal: z.string().nullable(),
    /** null: nobody looked, because this app leaves Claude Code alone. */
    state: z
      .object({
        /** not_ours: something else lies in the plugin's folder. */
        plugin: z.enum(['installed', 'out_of_date', 'absent', 'not_ours']),
        plugin_folder: z.string(),
        settings_file: z.string(),
        /** Claude Code asks for summaries of its thinking; null: its settings cannot be read. */
        thinking_summaries: z.boolean().nullable(),
        /** Where clients go by themselves; null: to the API. */
        base_url: z
          .object({
            /** Without a name and password that stand in it. */
            url: z.string(),
            /** Claude Code's settings, or else the environment that this app was started in. */
            from: z.enum(['settings', 'environment']),
            /** `aspy setup --base-url` set it. */
            by_aspy: z.boolean(),
            /** It is the address of this app's proxy. */
            leads_here: z.boolean(),
          })
          .nullable(),
        /** There is something of ours to take back. */
        can_undo: z.boolean(),
        /** A base URL or its login service is among it: `aspy setup --undo` alone takes that back. */
        undo_in_terminal: z.boolean(),
      })
      .nullable(),
  }),
})

export const claudeCodeSetUp = operation({
  name: 'claude_code.set_up',
  summary: "Install the plugin in Claude Code's folder, or bring it up to date; on request ask for thinking summaries.",
  place: 'main',
  writes: true,
  input: z.object({
    /** Also sets showThinkingSummaries in Claude Code's settings. */
    thinking: z.boolean().default(false),
  }),
  output: done,
})

export const claudeCodeUndo = operation({
  name: 'claude_code.undo',
  summary: 'Take back what setup did to Claude Code: the plugin and the settings, unless somebody changed them since.',
  place: 'main',
  writes: true,
  input: z.object({}),
  output: done,
})
