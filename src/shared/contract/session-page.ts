import { z } from 'zod'
import { sessionId, tz } from './fields.ts'
import { operation } from './operation.ts'

/** Parts of a session that can be left out of a page. */
export const PAGE_PARTS = ['requests', 'tools', 'thinking', 'paths'] as const
export type PagePart = (typeof PAGE_PARTS)[number]

/** Names of the parts for people. */
export const PAGE_PART_NAMES: Readonly<Record<PagePart, string>> = {
  requests: 'the exact requests to the API, with system prompt and memory files (prompts and answers are here)',
  tools: 'what tools returned',
  thinking: 'what the model thought before it answered',
  paths: 'names of folders and files',
}

const parts = z.array(z.enum(PAGE_PARTS))

export const sessionPage = operation({
  name: 'sessions.page',
  summary: 'A session as one HTML page that needs no network and can be imported again, and what the page reveals.',
  place: 'main',
  http: { method: 'GET', path: '/api/sessions/:session_id/page' },
  documents: { field: 'format', types: { html: 'text/html; charset=utf-8' } },
  input: z.object({
    session_id: sessionId,
    /** Parts to leave out; in a query, separated by commas. */
    without: z
      .union([
        parts,
        z
          .string()
          .max(100)
          .transform((text) => text.split(',').filter((part) => part !== ''))
          .pipe(parts),
      ])
      .default([]),
    tz: tz.describe('Time zone of the times on the page, such as Europe/Berlin; default: the one of this machine'),
    /** html puts the page into `document`; json only describes what the page would contain. */
    format: z.enum(['json', 'html']).default('json'),
  }),
  output: z.object({
    session_id: z.string(),
    events: z.number(),
    words: z.number(),
    /** Requests as they were sent: kept for an import, not shown on the page. */
    requests: z.number(),
    /** Number of words in them: system prompt, memory files, tools, and the conversation. */
    request_words: z.number(),
    /** Number of files whose paths are in the page. */
    files: z.number(),
    folders: z.number(),
    /** Number of notes on images; the page never contains the images themselves. */
    images: z.number(),
    /** Size of the page. */
    bytes: z.number(),
    /** Number of later events left out because the page would become too large. */
    cut: z.number(),
    document: z.string().optional(),
  }),
})
