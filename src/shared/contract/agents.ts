import { z } from 'zod'
import { sessionId } from './fields.ts'
import { operation } from './operation.ts'

/** A tool call of which no result is known. */
export const pendingCall = z.object({
  uuid: z.string(),
  call_id: z.string(),
  tool_name: z.string(),
  agent_id: z.string().nullable(),
  timestamp: z.string(),
})

export const agentsList = operation({
  name: 'agents.list',
  summary: "A session's subagents: what started each, how it ended, and what it used.",
  input: z.object({ session_id: sessionId }),
  output: z.object({
    /** In order of their start. */
    items: z.array(
      z.object({
        agent_id: z.string(),
        agent_type: z.string().nullable(),
        /** Null: the main agent started it. */
        parent_agent_id: z.string().nullable(),
        /** The tool-use id of the call that started it. */
        call_id: z.string().nullable(),
        /** What it was asked, in a few words: the call's description. */
        description: z.string().nullable(),
        turn_id: z.number(),
        started_at: z.string().nullable(),
        /** Null: it is still at work, or nobody told of its end. */
        ended_at: z.string().nullable(),
        success: z.boolean().nullable(),
        calls: z.number(),
        tokens: z.number(),
        /** Null: none of its models has a price. */
        cost_usd: z.number().nullable(),
        tool_calls: z.number(),
        /** What it waits for. */
        pending: z.array(pendingCall),
      }),
    ),
    /** There are more than 1,000. */
    partial: z.boolean(),
  }),
})

export const tasksList = operation({
  name: 'tasks.list',
  summary: "A session's task lists as they stand: the newest word on each task.",
  input: z.object({ session_id: sessionId }),
  output: z.object({
    /** By agent, the main one first, then in order of their making. */
    items: z.array(
      z.object({
        /** Null: the main agent's list. */
        agent_id: z.string().nullable(),
        task_id: z.string(),
        subject: z.string(),
        /** As the client says it: pending, in_progress, completed, deleted … */
        status: z.string(),
        created_at: z.string(),
        updated_at: z.string(),
        /** The update that the status comes from. */
        uuid: z.string(),
      }),
    ),
    /** There are more than 1,000. */
    partial: z.boolean(),
  }),
})
