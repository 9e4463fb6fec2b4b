import { z } from 'zod'
import { sessionId } from './fields.ts'
import { operation } from './operation.ts'

/** A tool call without a known result. */
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
    /** In the order they started. */
    items: z.array(
      z.object({
        agent_id: z.string(),
        agent_type: z.string().nullable(),
        /** Null if the main agent started it. */
        parent_agent_id: z.string().nullable(),
        /** The tool-use id of the call that started it. */
        call_id: z.string().nullable(),
        /** Description of the call. */
        description: z.string().nullable(),
        turn_id: z.number(),
        started_at: z.string().nullable(),
        /** Null if it is still running, or its end was not reported. */
        ended_at: z.string().nullable(),
        success: z.boolean().nullable(),
        calls: z.number(),
        tokens: z.number(),
        /** Null if none of its models has a price. */
        cost_usd: z.number().nullable(),
        tool_calls: z.number(),
        /** The call that it is waiting for. */
        pending: z.array(pendingCall),
      }),
    ),
    /** True if there are more than 1,000. */
    partial: z.boolean(),
  }),
})

export const tasksList = operation({
  name: 'tasks.list',
  summary: "A session's task lists in their current state.",
  input: z.object({ session_id: sessionId }),
  output: z.object({
    /** By agent, the main agent first, then in the order they were created. */
    items: z.array(
      z.object({
        /** Null: the list of the main agent. */
        agent_id: z.string().nullable(),
        task_id: z.string(),
        subject: z.string(),
        /** Status in the client's terms: pending, in_progress, completed, deleted … */
        status: z.string(),
        created_at: z.string(),
        updated_at: z.string(),
        /** The update that set the status. */
        uuid: z.string(),
      }),
    ),
    /** True if there are more than 1,000. */
    partial: z.boolean(),
  }),
})
