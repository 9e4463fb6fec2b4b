import { z } from 'zod'
import { operation } from './operation.ts'

const done = z.object({
  /** Messages about each change, for display. */
  done: z.array(z.string()),
})

export const claudeCodeStatus = operation({
  name: 'claude_code.status',
  summary: 'The setup of Claude Code on this machine: plugin, thinking summaries, base URL. Changes nothing.',
  place: 'main',
  output: z.object({
    /** Why this app cannot set up Claude Code, as a message for display; null if it can. */
    refusal: z.string().nullable(),
    /** null: not checked, because this app does not set up Claude Code. */
    state: z
      .object({
        /** not_ours: the plugin's folder has other content. */
        plugin: z.enum(['installed', 'out_of_date', 'absent', 'not_ours']),
        plugin_folder: z.string(),
        settings_file: z.string(),
        /** Claude Code requests summaries of thinking; null if its settings cannot be read. */
        thinking_summaries: z.boolean().nullable(),
        /** Base URL that clients use by default; null: the API. */
        base_url: z
          .object({
            /** Without user name and password. */
            url: z.string(),
            /** Set in Claude Code's settings, or in the environment of this app. */
            from: z.enum(['settings', 'environment']),
            /** True if `aspy setup --base-url` set it. */
            by_aspy: z.boolean(),
            /** True if it is this app's proxy. */
            leads_here: z.boolean(),
          })
          .nullable(),
        /** The `aspy` command in the person's own folder for commands; null if this app has none to put there. */
        command: z
          .object({
            /** not_ours: somebody else's `aspy` is there. */
            state: z.enum(['installed', 'out_of_date', 'absent', 'not_ours']),
            file: z.string(),
            /** What a person has to know, such as that the folder is not on the PATH. */
            note: z.string().nullable(),
          })
          .nullable(),
        /** True if there are changes that can be undone. */
        can_undo: z.boolean(),
        /** True if they include a base URL or its login service, which only `aspy setup --undo` removes. */
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

export const claudeCodeSetCommand = operation({
  name: 'claude_code.set_command',
  summary: 'Put the aspy command into a folder of the PATH, or remove it.',
  place: 'main',
  writes: true,
  input: z.object({ on_path: z.boolean() }),
  output: done,
})

export const claudeCodeUndo = operation({
  name: 'claude_code.undo',
  summary: 'Undo the setup of Claude Code: plugin and settings, unless they were changed since.',
  place: 'main',
  writes: true,
  output: done,
})

export const claudeCodeConnection = operation({
  name: 'claude_code.connection',
  summary: 'The environment variables that connect a client to this app. They contain the path secret.',
  place: 'main',
  output: z.object({
    /** null: the proxy is off. */
    variables: z.record(z.string(), z.string()).nullable(),
  }),
})
