import { z } from 'zod'
import { cursor, limit, list, scope, sessionId, tag, uuid } from './fields.ts'
import { mcpTools } from './mcp-tools.ts'
import { operation } from './operation.ts'
import { textAnswer } from './recall.ts'

const written = { place: 'recorder', writes: true } as const
const done = z.object({ done: z.boolean() })

export const sessionLabel = operation({
  name: 'sessions.label',
  summary: 'Star, pin, rename or tag a session. Omitted fields stay unchanged; an empty title restores the original.',
  ...written,
  input: z.object({
    session_id: sessionId,
    starred: z.boolean().optional(),
    /** A pinned session stays complete when old payloads are archived. */
    pinned: z.boolean().optional(),
    title: z.string().max(300).nullable().optional(),
    /** A session has at most 50 tags. Adding a tag again and removing one that it does not have change nothing. */
    add_tags: z.array(tag).max(50).optional(),
    remove_tags: z.array(tag).max(50).optional(),
  }),
  output: done,
})

export const sessionTags = operation({
  name: 'sessions.tags',
  summary: 'The tags that people set on sessions, in alphabetical order.',
  output: z.object({ items: z.array(z.object({ tag: z.string(), sessions: z.number() })) }),
})

const memory = z.object({
  uuid: z.string(),
  note: z.string().nullable(),
  created_at: z.string(),
  kind: z.string(),
  session_id: z.string(),
  turn_id: z.number(),
  timestamp: z.string(),
  project: z.string().nullable(),
  /** Text of the event. */
  content: z.string(),
  /** Note of the person; '' if the event itself is remembered. */
  fact: z.string(),
  category: z.string(),
  /** 0 to 1. */
  confidence: z.number(),
  /** Author of the memory. */
  source: z.string(),
  first_confirmed_at: z.string(),
  last_confirmed_at: z.string(),
  /** Events that confirm it, including the marked one. */
  evidence_count: z.number(),
})

export const memoriesList = operation({
  name: 'memories.list',
  summary: 'Remembered events, newest first; with a query, those that have all its words.',
  input: z.object({
    limit: limit(100, 500),
    query: z.string().max(500).optional(),
    category: z
      .string()
      .max(60)
      .optional()
      .describe('Only this category; with --add, that of the fact: preference, decision, warning …'),
    ...scope,
  }),
  output: z.object({ items: z.array(memory) }),
})

export const memoryGet = operation({
  name: 'memories.get',
  summary: 'A remembered event with the events that confirm it, oldest first, itself included.',
  http: { method: 'GET', path: '/api/memories/:uuid' },
  input: z.object({ uuid }),
  output: memory.extend({
    evidence: z.array(
      z.object({
        uuid: z.string(),
        session_id: z.string(),
        turn_id: z.number(),
        timestamp: z.string(),
        project: z.string().nullable(),
        kind: z.string(),
        content: z.string(),
        /** Time at which a person marked it as confirming the memory. */
        added_at: z.string(),
      }),
    ),
  }),
})

export const memoriesContext = operation({
  name: 'memories.context',
  summary: 'What a person asked to remember as one fenced, dated text for a model, newest first.',
  input: z.object({
    query: z.string().max(500).optional(),
    category: z.string().max(60).optional(),
    ...scope,
    limit: limit(20, 100),
    /** Tokens, estimated at four characters each. */
    budget: z.coerce.number().int().min(100).max(20_000).default(1000),
  }),
  output: textAnswer,
  mcp: mcpTools.memories,
})

export const memoryAdd = operation({
  name: 'memories.add',
  summary:
    'Remember an event: it ranks first in searches. Remembering it again confirms it and replaces the given fields.',
  ...written,
  input: z.object({
    uuid,
    note: z.string().max(2000).optional(),
    /** A note in your own words. */
    fact: z.string().trim().max(2000).optional(),
    /** Any word: preference, decision, warning … */
    category: z.string().trim().min(1).max(60).optional(),
    confidence: z.number().min(0).max(1).optional(),
    source: z.string().trim().min(1).max(60).optional(),
    /** Event of a memory that this one confirms. The event counts as evidence and is not remembered separately. */
    confirms: uuid.optional(),
  }),
  output: done,
})

export const memoryRemove = operation({
  name: 'memories.remove',
  summary: 'Forget a remembered event.',
  ...written,
  input: z.object({ uuid }),
  output: done,
})

const episode = z.object({
  uuid: z.string(),
  session_id: z.string(),
  turn_id: z.number(),
  /** The event that ended the summarized part of the session. */
  closed_by: z.enum(['compaction', 'end']),
  timestamp: z.string(),
  project: z.string().nullable(),
  /** Summary of a compaction; for a session that ended, its prompts and last answer. */
  content: z.string(),
  /** Project, branch, models, tools, agents. */
  tags: z.array(z.string()),
  /** 0 to 1: grows with the turns and tool calls of the part, and most with its memories. */
  importance: z.number(),
})

export const episodesList = operation({
  name: 'episodes.list',
  summary: 'Summaries of parts of sessions, newest first; with a query, those that have all its words, best first.',
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
  output: z.object({
    items: z.array(z.object({ id: z.number(), name: z.string(), address: z.string(), created_at: z.string() })),
  }),
})

export const searchSave = operation({
  name: 'searches.save',
  summary: 'Save a search under a name. Replaces a search of the same name.',
  ...written,
  input: z.object({
    name: z.string().trim().min(1).max(200),
    /** Query of its address: `?q=theme&range=30d`. */
    address: z.string().max(2000),
  }),
  output: done,
})

export const searchRemove = operation({
  name: 'searches.remove',
  summary: 'Remove a saved search.',
  ...written,
  input: z.object({ id: z.number().int() }),
  output: done,
})

const keyed = { event_uuid: z.string(), keys: z.array(z.string()), session_id: z.string() }

/**
 * An item that people made, with everything needed to restore it elsewhere. `keys` identify an event that has another
 * uuid there.
 */
export const madeByPeople = z.discriminatedUnion('made', [
  z.strictObject({ made: z.literal('deletion'), session_id: z.string(), deleted_at: z.string() }),
  z.strictObject({
    made: z.literal('label'),
    session_id: z.string(),
    starred: z.boolean(),
    pinned: z.boolean(),
    title: z.string().nullable(),
    tags: z.array(z.string()),
    updated_at: z.string(),
  }),
  z.strictObject({
    made: z.literal('memory'),
    ...keyed,
    fact: z.string(),
    category: z.string(),
    confidence: z.number().min(0).max(1),
    source: z.string(),
    note: z.string().nullable(),
    first_confirmed_at: z.string(),
    last_confirmed_at: z.string(),
    created_at: z.string(),
    evidence: z.array(z.strictObject({ ...keyed, added_at: z.string() })),
  }),
  z.strictObject({ made: z.literal('search'), name: z.string(), address: z.string(), created_at: z.string() }),
  z.strictObject({
    made: z.literal('budget_notice'),
    budget_hash: z.string(),
    since: z.string(),
    mark: z.number().int(),
    told_at: z.string(),
  }),
])
export type MadeByPeople = z.infer<typeof madeByPeople>

export const peopleExport = operation({
  name: 'people.export',
  summary: 'Everything that people made (labels, memories, saved searches, deletions), for `store.import` elsewhere.',
  output: z.object({ items: z.array(madeByPeople) }),
})
