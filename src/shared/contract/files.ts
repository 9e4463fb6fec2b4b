import { z } from 'zod'
import { flag, sessionId, uuid } from './fields.ts'
import { mcpTools } from './mcp-tools.ts'
import { operation } from './operation.ts'

const path = z.string().min(1).max(4096)

/** What is known of a file: `unknown` after something that may have changed all of it. */
const state = z.enum(['known', 'absent', 'unknown'])

const ending = z.enum(['lf', 'crlf']).nullable()

/** `proven`: a call's own text; `derived`: a command's; `seen`: it was there before the record knew it. */
export const LINE_ORIGINS = ['proven', 'derived', 'seen', 'unknown'] as const

export const fileHistory = operation({
  name: 'files.history',
  summary: 'What recorded tool calls did to a file, or showed of it, oldest first, also under its earlier names.',
  http: { method: 'GET', path: '/api/files/history' },
  input: z.object({ path }),
  output: z.object({
    path: z.string(),
    items: z.array(
      z.object({
        uuid: z.string(),
        session_id: z.string(),
        turn_id: z.number(),
        agent_id: z.string().nullable(),
        timestamp: z.string(),
        /** `Aspy`: it restored a file. */
        tool_name: z.string(),
        /** `restored`: by Aspy. `doubted`: the call may have changed it, which its text does not say. */
        action: z.enum(['written', 'appended', 'changed', 'shown', 'deleted', 'moved', 'restored', 'doubted', 'seen']),
        path: z.string(),
        state,
        /** Lines known after it; null if none are. */
        lines: z.number().nullable(),
        /** True if a call since its last known state may have changed it. */
        is_doubted: z.boolean(),
      }),
    ),
    /** True if there are more calls than were read: only the newest were, or the store is being rebuilt after an update. */
    partial: z.boolean(),
  }),
})

export const fileAt = operation({
  name: 'files.at',
  summary: 'A file after a recorded event, line by line, each line with the event that wrote or first showed it.',
  http: { method: 'GET', path: '/api/files/at' },
  input: z.object({
    path,
    /** By default, after all that is recorded. */
    uuid: uuid.optional(),
  }),
  output: z.object({
    path: z.string(),
    state,
    /** When the last call that touched or showed it ended; null if none did. */
    timestamp: z.string().nullable(),
    /** The call since which it may be different. */
    doubted_since: z.string().nullable(),
    /** True if these are all of its lines. */
    is_whole: z.boolean(),
    /** null: not recorded. Clients show a file to a model without it. */
    line_ending: ending,
    /** A text that ends with a newline has an empty last line. A line without text is a hole. */
    lines: z.array(
      z.object({
        line: z.number(),
        text: z.string().nullable(),
        origin: z.enum(LINE_ORIGINS),
        event: z.string().nullable(),
      }),
    ),
    /** Numbers of the lines that the record does not have. */
    holes: z.array(z.number()),
    partial: z.boolean(),
  }),
})

export const fileBlame = operation({
  name: 'files.blame',
  summary:
    'For each line that the record has of a file: the call that wrote it, its prompt and turn, and what that turn cost.',
  http: { method: 'GET', path: '/api/files/blame' },
  input: z.object({
    path,
    /** Only this line. */
    line: z.coerce.number().int().min(1).optional(),
    /** The file after this event. */
    until: uuid.optional(),
    /** Also as fenced text. */
    as_text: flag(false),
  }),
  output: z.object({
    path: z.string(),
    state,
    doubted_since: z.string().nullable(),
    /** True if all lines of the file are recorded: without `line`, these are the whole file. */
    is_whole: z.boolean(),
    /** How many lines are recorded of it, with the empty one behind a last newline. */
    line_count: z.number(),
    items: z.array(
      z.object({
        line: z.number(),
        text: z.string().nullable(),
        origin: z.enum(LINE_ORIGINS),
        /** The call that wrote it, or first showed it. */
        event: z.string().nullable(),
        /** Texts that it may have been before a call formatted it: who undoes that brings one back. */
        earlier_forms: z.array(z.string()),
        /** The prompt of its turn, and the beginning of that. */
        prompt: z.string().nullable(),
        prompt_text: z.string().nullable(),
        session_id: z.string().nullable(),
        turn_id: z.number().nullable(),
        agent_id: z.string().nullable(),
        /** The model that made the call. */
        model: z.string().nullable(),
        ts_wall: z.string().nullable(),
        /** Of the whole turn. */
        cost_usd: z.number().nullable(),
      }),
    ),
    partial: z.boolean(),
    text: z.string().optional(),
  }),
  mcp: mcpTools.whyLine,
})

export const fileTree = operation({
  name: 'files.tree',
  summary: 'The files that a session changed, as they were after an event, and the changes as a patch for git.',
  http: { method: 'GET', path: '/api/files/tree' },
  input: z.object({
    session_id: sessionId,
    /** By default, after all that is recorded. */
    uuid: uuid.optional(),
    patch: flag(false).describe('Print the changes of the session as a patch for git apply'),
  }),
  output: z.object({
    /** The folder that the names in the patches begin at. */
    folder: z.string().nullable(),
    items: z.array(
      z.object({
        path: z.string(),
        /** `holes`: some of its lines are not recorded. */
        state: z.enum(['whole', 'holes', 'unknown', 'deleted']),
        /** Lines known after it; null if none are. */
        lines: z.number().nullable(),
        is_new: z.boolean(),
        /** The call since which it may be different. */
        doubted_since: z.string().nullable(),
        /** Only if asked for; null: a text before or after is not known, or it is in another folder. */
        patch: z.string().nullable(),
      }),
    ),
    partial: z.boolean(),
  }),
})

export const fileRestore = operation({
  name: 'files.restore',
  summary:
    'Write a file as it was after an event, in a project folder of the record. An older file that is there is kept.',
  place: 'main',
  writes: true,
  http: { method: 'POST', path: '/api/files/restore' },
  input: z.object({
    path,
    /** By default, after all that is recorded. */
    uuid: uuid.optional(),
    /** By default the path itself if nothing is there, else a new name beside it. */
    out: path.optional(),
    /** Also replaces a newer file, which is kept beside it. */
    over: z.boolean().default(false),
    /** Only says what would be written. */
    preview: z.boolean().default(false),
  }),
  output: z.object({
    path: z.string(),
    out: z.string(),
    is_written: z.boolean(),
    /** The file that is there has the very text, so nothing is written. */
    is_same: z.boolean(),
    /** False: no app records, so the history of the file will not have it. */
    is_recorded: z.boolean(),
    /** Where the file went that was there. */
    kept: z.string().nullable(),
    /** Changes to the file that was there, or at the path, in the unified format; null if they cannot be shown. */
    diff: z.string().nullable(),
    lines: z.number(),
    /** Numbers of the lines that the record does not have: they are empty. */
    holes: z.array(z.number()),
    is_whole: z.boolean(),
    doubted_since: z.string().nullable(),
    /** null: neither the record nor a present file says it, and `lf` is written. */
    line_ending: ending,
  }),
})
