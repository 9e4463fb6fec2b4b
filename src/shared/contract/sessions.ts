import { z } from 'zod'
import { eventLine, kinds, withText } from './events.ts'
import {
  client,
  cursor,
  flag,
  limit,
  list,
  moment,
  only,
  project,
  sessionId,
  since,
  tag,
  tz,
  until,
  userId,
} from './fields.ts'
import { mcpTools } from './mcp-tools.ts'
import { operation } from './operation.ts'
import { unpriced } from './spend.ts'

/**
 * A session that another one continues: `at` is the time of the last copied event, or of the first one after the other
 * session.
 */
export const sessionLink = z.object({
  kind: z.enum(['forked_from', 'resumed_from', 'compacted_from']),
  session_id: z.string(),
  at: z.string(),
})
export type SessionLink = z.infer<typeof sessionLink>

export const session = z.object({
  id: z.string(),
  user_id: userId,
  project: z.string().nullable(),
  git_branch: z.string().nullable(),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  last_event_at: z.string(),
  source: z.enum(['hook', 'warmup', 'first_seen', 'transcript']),
  title: z.string().nullable(),
  /** May exceed the prompts: a notice of work in the background begins a turn without one. */
  turn_count: z.number(),
  prompts: z.number(),
  total_tokens: z.number(),
  total_cost_usd: z.number(),
  /** True if no source reported any usage: its tokens and cost are not 0, but unknown. */
  usage_unknown: z.literal(true).optional(),
  ...unpriced,
  /** Requests that the guard refused, which cost nothing; omitted if it refused none. */
  refused: z.number().optional(),
  tool_calls: z.number(),
  thinking_blocks: z.number(),
  /** Number of events of kind `error`, including Aspy's own. */
  errors: z.number(),
  /** Failed requests, including those that were retried. */
  api_errors: z.number(),
  /** Failed tool calls, without those that a person rejected or interrupted. */
  failed_tools: z.number(),
  active_ms: z.number(),
  /** `claude-code`, `agent-sdk`, `anthropic-sdk` …, or `unknown`; from its requests and transcripts. */
  client: z.string(),
  client_version: z.string().nullable(),
  /**
   * Source of its times: traffic and hooks, its transcript's lines, or only its file's time (then it is in no time
   * range).
   */
  time_basis: z.enum(['wire', 'line', 'file']),
  /** Ids of the sessions that it was forked, resumed (clients 1.x) or continued after a compaction from. */
  forked_from: z.string().nullable(),
  resumed_from: z.string().nullable(),
  compacted_from: z.string().nullable(),
  /** Set by a person. A pinned session stays complete when old payloads are archived. */
  starred: z.boolean(),
  pinned: z.boolean(),
  /** True while its transcript is being imported: figures first, then texts and tool calls. */
  preview: z.literal(true).optional(),
  /** Tags that a person set, in alphabetical order. */
  own_tags: z.array(z.string()),
  /** The model of the main agent's newest call; null before the first answer. */
  model: z.string().nullable(),
  /** Subagents that it started. */
  agents: z.number(),
  /** How often its context was compacted. */
  compactions: z.number(),
})
export type Session = z.infer<typeof session>

export const sessionsList = operation({
  name: 'sessions.list',
  summary: 'Sessions, the most recently active first.',
  http: { method: 'GET', path: '/api/lifestats/sessions' },
  input: z.object({
    limit: limit(10),
    user_id: z.string().optional(),
    project,
    before: moment.optional(),
    since,
    until,
    tz,
    starred: only(),
    client,
    failed: only().describe('Only sessions with API errors or failed tool calls'),
    tag: tag.optional().describe('Only sessions with this tag'),
    model: z.string().max(200).optional().describe('Only sessions with a call to this model'),
    branch: z.string().max(1000).optional().describe('Only sessions on this git branch'),
    /** Only sessions that started subagents. */
    agents: only(),
    compacted: only().describe('Only sessions whose context was compacted'),
    /** Only sessions with an event at or after this moment, and whose first event is before the other moment. */
    active_since: moment.optional(),
    active_before: moment.optional(),
    sort: z
      .enum([
        'last_activity',
        'started',
        'active',
        'prompts',
        'tools',
        'errors',
        'failures',
        'compactions',
        'tokens',
        'cost',
      ])
      .default('last_activity')
      .describe('Order, highest first, such as cost, tokens or failures'),
    /** Matches part of the title, project or id. */
    query: z.string().max(200).optional(),
    cursor: cursor.optional(),
  }),
  output: list(session),
})

/** Who refused a request, as in `guard_action`. */
const refusedBy = z.enum(['person', 'rule', 'timeout', 'client', 'stop'])

export const sessionGet = operation({
  name: 'sessions.get',
  summary: 'One session.',
  http: { method: 'GET', path: '/api/sessions/:session_id' },
  input: z.object({ session_id: sessionId }),
  output: session.extend({
    /** Tags and pull requests that the client links to it, newest first. */
    tags: z.array(z.string()),
    pull_requests: z.array(z.string()),
    /** The client's own total, as its transcript last gave it; null if none was read. `sessions.reconcile` compares it. */
    client_cost_usd: z.number().nullable(),
    /** Every session that it continues, newest first. */
    links: z.array(sessionLink),
    /** Numbers that are part of another turn: the client itself wrote what began them. */
    joined_turns: z.array(z.number()),
    /**
     * How many of its requests passed while Aspy was down, and until when, newest first: each time that no transcript has
     * filled since. Omitted if there is none.
     */
    unrecorded: z.array(z.string()).optional(),
    /** What the guard refused, by cap and who decided; omitted if it refused none. */
    refusals: z
      .array(z.object({ cap: z.string(), limit: z.number(), decided_by: refusedBy, requests: z.number() }))
      .optional(),
  }),
})

export const runExchanges = operation({
  name: 'runs.exchanges',
  summary: 'The captured requests of one run of a client, since the app started.',
  place: 'main',
  input: z.object({ run: z.string().max(200) }),
  output: z.object({
    items: z.array(z.string()),
    /** Sessions that its requests belong to, and of which nothing is recorded since they were deleted. */
    deleted: z.array(z.string()).optional(),
  }),
})

/** What a run of a client recorded in a session: its own prompts and cost, and the cost of the whole session. */
export const runSession = z.object({
  id: z.string(),
  prompts: z.number(),
  total_tokens: z.number(),
  total_cost_usd: z.number(),
  ...unpriced,
  /** Requests that the guard refused, which cost nothing. */
  refused: z.number(),
  session_cost_usd: z.number(),
})

export const runSessions = operation({
  name: 'runs.sessions',
  summary: 'The sessions of a run of a client, and what the run cost in each.',
  input: z.object({
    /** Its captured requests. */
    exchanges: z.array(z.string().max(100)).max(50_000),
    /** Sessions that its process is known to have had: without captured requests, all of them since the run began is its own. */
    sessions: z.array(z.string().max(200)).max(1000),
    began_at: moment,
    tz,
  }),
  output: z.object({ items: z.array(runSession) }),
})

export const sessionStatus = operation({
  name: 'sessions.status',
  summary: 'A session for a status line: whether it is captured, its cost and tokens.',
  input: z.object({ session_id: sessionId }),
  output: z.object({
    /** True if its traffic passed through the proxy recently. */
    captured: z.boolean(),
    /** null if the session is unknown. */
    cost_usd: z.number().nullable(),
    tokens: z.number().nullable(),
  }),
})

export const sessionTimeline = operation({
  name: 'sessions.timeline',
  summary: 'The events of a session, oldest first, with durations.',
  http: { method: 'GET', path: '/api/sessions/:session_id/timeline' },
  input: z.object({
    session_id: sessionId,
    start: since,
    end: until,
    tz,
    kinds,
    limit: limit(50, 5000),
    cursor: cursor.optional(),
    as_text: flag(false),
  }),
  output: list(eventLine).extend(withText),
  mcp: mcpTools.timeline,
})

export const sessionHistory = operation({
  name: 'sessions.history',
  summary: 'The conversation of a session: the newest page of prompts and answers, in order.',
  http: { method: 'GET', path: '/api/sessions/:session_id/history' },
  input: z.object({
    session_id: sessionId,
    limit: limit(20, 500),
    before: moment.optional(),
    after: moment.optional(),
    tz,
    cursor: cursor.optional(),
    as_text: flag(false),
  }),
  output: list(
    z.object({
      uuid: z.string(),
      role: z.enum(['user', 'assistant']),
      content: z.string(),
      timestamp: z.string(),
      turn_id: z.number(),
    }),
  ).extend(withText),
})

export const sessionsUnproven = operation({
  name: 'sessions.unproven',
  summary: 'Number of sessions with requests that reached the proxy without the path secret.',
  output: z.object({ count: z.number() }),
})
