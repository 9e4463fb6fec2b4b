import { z } from 'zod'
import { EVENT_KINDS, EVENT_SOURCES } from '../event.ts'
import { bounded, cursor, flag, limit, list, moment, project, scope, sessionId, tz, userId, uuid } from './fields.ts'
import { mcpTools } from './mcp-tools.ts'
import { operation } from './operation.ts'
import { POSTED_PAYLOADS } from './posted-payloads.ts'

const kind = z.enum(EVENT_KINDS)

/** An event in answers: the columns of `events` with the complete payload. */
export const event = z.object({
  id: z.number(),
  uuid: z.string(),
  session_id: z.string(),
  turn_id: z.number(),
  seq: z.number(),
  agent_id: z.string().nullable(),
  parent_uuid: z.string().nullable(),
  kind,
  source: z.enum(EVENT_SOURCES),
  ts_wall: z.string(),
  ts_monotonic: z.number().nullable(),
  duration_ms: z.number().nullable(),
  success: z.boolean().nullable(),
  error_message: z.string().nullable(),
  request_id: z.string().nullable(),
  user_id: userId,
  project: z.string().nullable(),
  schema_version: z.number(),
  payload: z.looseObject({}),
})

/** Kinds as a list or a comma-separated string. */
export const kinds = z
  .union([z.array(kind), z.string().transform((text) => text.split(',').filter(Boolean))])
  .pipe(z.array(kind))
  .optional()
  .describe('Only these kinds of events, such as thinking,error')

export const eventsList = operation({
  name: 'events.list',
  summary: 'Events in the order of the log.',
  http: { method: 'GET', path: '/api/events' },
  input: z.object({
    session_id: sessionId.optional(),
    turn_id: z.coerce.number().int().min(0).optional(),
    /** In a session: only events of this agent; `main`: only those of the main agent. */
    agent: z.string().max(500).optional(),
    kind: kind.optional(),
    limit: limit(100, 1000),
    cursor: cursor.optional(),
  }),
  output: list(event),
})

export const eventsReplay = operation({
  name: 'events.replay',
  summary: 'All events of a session or one of its turns in the order they arrived, a page per batch.',
  answer: 'stream',
  http: { method: 'GET', path: '/api/sessions/:session_id/replay' },
  input: z.object({
    session_id: sessionId,
    turn_id: z.coerce.number().int().min(0).optional().describe('Only this turn'),
    /** Events in one batch. */
    limit: bounded(200, 1000),
    /** `next` of the last batch received: continues after it. */
    cursor: cursor.optional(),
  }),
  output: list(event),
})

export const eventsCount = operation({
  name: 'events.count',
  summary: 'The number of events.',
  http: { method: 'GET', path: '/api/events/count' },
  input: z.object({
    session_id: sessionId.optional(),
    turn_id: z.coerce.number().int().min(0).optional(),
    kind: kind.optional(),
  }),
  output: z.object({ count: z.number() }),
})

const sighting = z.object({
  source: z.enum(EVENT_SOURCES),
  session_id: z.string(),
  seen_at: z.string(),
  payload: z.unknown(),
})

export const eventGet = operation({
  name: 'events.get',
  summary: 'One event in full, with its sightings.',
  http: { method: 'GET', path: '/api/events/:uuid' },
  input: z.object({ uuid }),
  output: event.extend({ sightings: z.array(sighting), keys: z.array(z.string()) }),
})

const linked = event.extend({ depth: z.number() })

export const eventChain = operation({
  name: 'events.chain',
  summary: 'The cause of an event: its parents up to the prompt, root first.',
  http: { method: 'GET', path: '/api/events/:uuid/chain' },
  input: z.object({ uuid }),
  output: list(linked).extend({ truncated: z.boolean(), cycle: z.boolean(), gap: z.boolean() }),
})

export const eventChildren = operation({
  name: 'events.children',
  summary: 'The direct effects of an event.',
  http: { method: 'GET', path: '/api/events/:uuid/children' },
  input: z.object({ uuid, limit: limit(100, 1000), cursor: cursor.optional() }),
  output: list(linked),
})

export const sessionEvents = operation({
  name: 'sessions.events',
  summary: 'Events of a session, newest first.',
  http: { method: 'GET', path: '/api/sessions/:session_id/events' },
  input: z.object({
    session_id: sessionId,
    limit: limit(50, 1000),
    before: moment.optional(),
    after: moment.optional(),
    tz,
    kinds,
    order: z.enum(['newest', 'oldest']).default('newest'),
    cursor: cursor.optional(),
  }),
  output: list(event),
})

export const postEvent = operation({
  name: 'events.post',
  summary:
    'Add an event of your own (source `api`). Answers once it is committed, or in the spool: a killed Aspy has it then; a power cut may take the last moments.',
  place: 'recorder',
  writes: true,
  http: { method: 'POST', path: '/api/events' },
  input: z.object({
    session_id: sessionId,
    kind,
    parent_uuid: uuid.optional(),
    payload: z.looseObject({}),
    duration_ms: z.number().min(0).optional(),
    success: z.boolean().optional(),
    error_message: z.string().max(10_000).optional(),
  }),
  output: z.object({ uuid: z.string() }),
  variants: { by: 'kind', field: 'payload', cases: POSTED_PAYLOADS, example: { session_id: 'my-session' } },
})

/** One line of a list of events. */
export const eventLine = z.object({
  id: z.number(),
  uuid: z.string(),
  session_id: z.string(),
  user_id: userId,
  turn_id: z.number(),
  agent_id: z.string().nullable(),
  kind,
  ts_wall: z.string(),
  duration_ms: z.number().nullable(),
  success: z.boolean().nullable(),
  /** At most 200 characters: the prompt, the thought, the call with its input, the error … */
  text: z.string(),
})

/** The list as one fenced text for a model, if requested. */
export const withText = { text: z.string().optional() }

export const eventsRecent = operation({
  name: 'events.recent',
  summary: 'The newest events of all sessions or of one.',
  input: z.object({ ...scope, kinds, limit: limit(50, 500), as_text: flag(false) }),
  output: list(eventLine).extend(withText),
  mcp: mcpTools.recentEvents,
})

export const eventTrace = operation({
  name: 'events.trace',
  summary: 'Why an event happened (its chain from the prompt on), or what it led to; of an event or of the last error.',
  input: z.object({
    uuid: uuid.optional(),
    last_error: flag(false).describe('Trace the newest error'),
    match: z.string().max(500).optional().describe('With --last-error: only errors that contain this text'),
    down: flag(false).describe('Show what the event led to'),
    project,
    as_text: flag(false),
  }),
  output: z.object({
    event,
    items: z.array(
      eventLine.extend({
        depth: z.number(),
        /** Of a request and its answer; omitted if it is not known. */
        cost_usd: z.number().optional(),
      }),
    ),
    truncated: z.boolean(),
    cycle: z.boolean(),
    gap: z.boolean(),
    ...withText,
  }),
  mcp: mcpTools.traceEvent,
})
