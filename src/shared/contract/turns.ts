import { z } from 'zod'
import { pendingCall } from './agents.ts'
import { eventLine } from './events.ts'
import { sessionId } from './fields.ts'
import { operation } from './operation.ts'
import { unpriced } from './spend.ts'

/** Tokens by class, priced separately. Input: neither read from the cache nor written to it. */
const splitTokens = {
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_tokens: z.number(),
  cache_creation_tokens: z.number(),
}

export const sessionTurn = operation({
  name: 'sessions.turn',
  summary: 'One turn: its prompt, stages, agents, errors and cost.',
  http: { method: 'GET', path: '/api/sessions/:session_id/turns/:turn' },
  input: z.object({ session_id: sessionId, turn: z.coerce.number().int().min(0) }),
  output: z.object({
    session_id: z.string(),
    turn_id: z.number(),
    prompt: z.string().nullable(),
    prompt_uuid: z.string().nullable(),
    started_at: z.string(),
    ended_at: z.string(),
    duration_ms: z.number(),
    tokens: z.number(),
    ...splitTokens,
    /** In the order of their first call. */
    models: z.array(z.object({ model: z.string(), calls: z.number(), ...splitTokens })),
    /** null if nothing in it has a price. */
    cost_usd: z.number().nullable(),
    ...unpriced,
    api_errors: z.number(),
    failed_tools: z.number(),
    agents: z.array(
      z.object({
        agent_id: z.string().nullable(),
        agent_type: z.string().nullable(),
        events: z.number(),
        /** Its last answer in this turn, up to 2,000 characters. */
        last_text: z.string().nullable(),
        /** Its last error in this turn: of the API, or of a tool. */
        error: z.string().nullable(),
        started_at: z.string(),
        /** Its last event in this turn. */
        ended_at: z.string(),
        duration_ms: z.number(),
      }),
    ),
    /** Consecutive events of one kind by one agent, in order. */
    stages: z.array(
      z.object({
        kind: eventLine.shape.kind,
        agent_id: z.string().nullable(),
        started_at: z.string(),
        ended_at: z.string(),
        /** Time until the agent's next stage, or its last event. */
        duration_ms: z.number(),
        events: z.number(),
      }),
    ),
    /** Calls without a result, the newest first. */
    pending: z.array(pendingCall),
    /** The slowest tool and API calls of the turn, at most ten. */
    slow_calls: z.array(
      z.object({
        uuid: z.string(),
        by: z.enum(['tool', 'model']),
        /** The tool, or the model. */
        name: z.string(),
        agent_id: z.string().nullable(),
        duration_ms: z.number(),
        /** True for the time from a tool's call to its result, which no source measured. */
        upper_bound: z.boolean(),
      }),
    ),
    /** Error events and failed tool calls, oldest first. */
    errors: z.array(
      z.object({
        uuid: z.string(),
        ts_wall: z.string(),
        message: z.string(),
        /** `aspy`: an error in Aspy itself, counted as neither. */
        by: z.enum(['api', 'tool', 'aspy']),
      }),
    ),
    /** True if the turn has more events than were read. */
    truncated: z.boolean(),
  }),
})

export const sessionUsage = operation({
  name: 'sessions.usage',
  summary: 'The cost of each turn of a session, and the growth of its context by call.',
  input: z.object({ session_id: sessionId }),
  output: z.object({
    turns: z.array(
      z.object({
        turn_id: z.number(),
        /** Its first answer. */
        started_at: z.string(),
        /** Its first event and its last. */
        began_at: z.string(),
        ended_at: z.string(),
        calls: z.number(),
        tokens: z.number(),
        ...splitTokens,
        /** null if nothing in it has a price. */
        cost_usd: z.number().nullable(),
        ...unpriced,
        api_errors: z.number(),
        failed_tools: z.number(),
      }),
    ),
    /** Calls of the main agent in order, at most 500 points, each the largest context of its interval. */
    context: z.array(
      z.object({
        timestamp: z.string(),
        turn_id: z.number(),
        uuid: z.string(),
        model: z.string(),
        context_tokens: z.number(),
        /** Tokens that fit into the context of this call; null: not known, or the client compacts long before. */
        context_window: z.number().nullable(),
      }),
    ),
    compactions: z.array(z.object({ uuid: z.string(), timestamp: z.string(), turn_id: z.number() })),
  }),
})
