import { z } from 'zod'
import { cursor, limit, list, sessionId, uuid } from './fields.ts'
import { operation } from './operation.ts'

const written = { place: 'recorder', writes: true } as const
const done = z.object({ done: z.boolean() })

export const sessionLabel = operation({
  name: 'sessions.label',
  summary: 'Star, pin or rename a session; what is not given stays as it is, an empty title gives the old one back.',
  ...written,
  input: z.object({
    session_id: sessionId,
    starred: z.boolean().optional(),
    /** A pinned session is left whole when old payloads move to the archive. */
    pinned: z.boolean().optional(),
    title: z.string().max(300).nullable().optional(),
  }),
  output: done,
})

const memory = z.object({
  uuid: z.string(),
  note: z.string().nullable(),
  created_at: z.string(),
  kind: z.string(),
  session_id: z.string(),
  turn_id: z.number(),
  timestamp: z.string(),
  /** What the event itself says. */
  content: z.string(),
  /** What is remembered of it, in the person's words; '': what the event says. */
  fact: z.string(),
  category: z.string(),
  /** 0 to 1. */
  confidence: z.number(),
  /** Who says so. */
  source: z.string(),
  first_confirmed_at: z.string(),
  last_confirmed_at: z.string(),
  /** Events that confirm it, the marked one among them. */
  evidence_count: z.number(),
})

export const memoriesList = operation({
  name: 'memories.list',
  summary: 'What was marked to be remembered, newest first; with a query, what holds all its words.',
  input: z.object({
    limit: limit(100, 500),
    query: z.string().max(500).optional(),
    category: z.string().max(60).optional(),
    session_id: sessionId.optional(),
  }),
  output: z.object({ items: z.array(memory) }),
})

export const memoryAdd = operation({
  name: 'memories.add',
  summary:
    'Remember an event: it ranks first where a search finds it. Once more: it is confirmed, and what is given replaces what was.',
  ...written,
  input: z.object({
    uuid,
    note: z.string().max(2000).optional(),
    /** What it tells, in your own words. */
    fact: z.string().trim().max(2000).optional(),
    /** preference, decision, warning …: any word. */
    category: z.string().trim().min(1).max(60).optional(),
    confidence: z.number().min(0).max(1).optional(),
    source: z.string().trim().min(1).max(60).optional(),
    /** The event of a memory that this one confirms: it is counted as evidence, and not remembered by itself. */
    confirms: uuid.optional(),
  }),
  output: done,
})

export const memoryRemove = operation({
  name: 'memories.remove',
  summary: 'Remember an event no longer.',
  ...written,
  input: z.object({ uuid }),
  output: done,
})

const episode = z.object({
  uuid: z.string(),
  session_id: z.string(),
  turn_id: z.number(),
  /** What closed the stretch that it sums up. */
  closed_by: z.enum(['compaction', 'end']),
  timestamp: z.string(),
  project: z.string().nullable(),
  /** A compaction's summary; of a session that ended, what was asked and the last answer. */
  content: z.string(),
  /** Project, branch, models, tools, agents. */
  tags: z.array(z.string()),
})

export const episodesList = operation({
  name: 'episodes.list',
  summary: 'What stretches of sessions came to, newest first; with a query, what holds all its words, best first.',
  input: z.object({
    query: z.string().max(500).optional(),
    session_id: sessionId.optional(),
    project: z.string().max(4096).optional(),
    limit: limit(20, 200),
    cursor: cursor.optional(),
  }),
  output: list(episode),
})

export const searchesList = operation({
  name: 'searches.list',
  summary: 'Saved searches, by name.',
  input: z.object({}),
  output: z.object({
    items: z.array(z.object({ id: z.number(), name: z.string(), address: z.string(), created_at: z.string() })),
  }),
})

export const searchSave = operation({
  name: 'searches.save',
  summary: 'Save a search under a name; one of the same name is replaced.',
  ...written,
  input: z.object({
    name: z.string().trim().min(1).max(200),
    /** The query of the address that shows it: `?q=theme&range=30d`. */
    address: z.string().max(2000),
  }),
  output: done,
})

export const searchRemove = operation({
  name: 'searches.remove',
  summary: 'Forget a saved search.',
  ...written,
  input: z.object({ id: z.number().int() }),
  output: done,
})
