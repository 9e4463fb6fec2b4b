import { z } from 'zod'
import { limit, sessionId, uuid } from './fields.ts'
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
  content: z.string(),
})

export const memoriesList = operation({
  name: 'memories.list',
  summary: 'What was marked to be remembered, newest first.',
  input: z.object({ limit: limit(100, 500) }),
  output: z.object({ items: z.array(memory) }),
})

export const memoryAdd = operation({
  name: 'memories.add',
  summary: 'Remember an event: it ranks first where a search finds it.',
  ...written,
  input: z.object({ uuid, note: z.string().max(2000).optional() }),
  output: done,
})

export const memoryRemove = operation({
  name: 'memories.remove',
  summary: 'Remember an event no longer.',
  ...written,
  input: z.object({ uuid }),
  output: done,
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
