import { z } from 'zod'
import { client, cursor, limit, list, ofSession, only, project, since, tz, until, userId } from './fields.ts'
import { mcpTools } from './mcp-tools.ts'
import { operation } from './operation.ts'

export const toolsList = operation({
  name: 'tools.list',
  summary: 'Tool calls, newest first.',
  http: { method: 'GET', path: '/api/lifestats/tools' },
  input: z.object({
    tool_name: z.string().optional().describe('Only this tool'),
    /** Older name of `tool_name`. */
    tool: z.string().optional(),
    session_id: ofSession,
    project,
    since,
    until,
    tz,
    client,
    /** Without those that a person rejected or interrupted. */
    failed: only().describe('Only calls that failed'),
    /** A decision of a person or of settings, and no failure. */
    refused: only().describe('Only calls that were refused or interrupted'),
    limit: limit(20),
    cursor: cursor.optional(),
  }),
  output: list(
    z.object({
      id: z.number(),
      uuid: z.string(),
      session_id: z.string(),
      session_title: z.string().nullable(),
      user_id: userId,
      turn_id: z.number(),
      timestamp: z.string(),
      tool_name: z.string(),
      /** First 200 characters of the input. */
      input_summary: z.string(),
      duration_ms: z.number().nullable(),
      /** True if no source measured it: `duration_ms` is the time from the call to its result. */
      upper_bound: z.boolean(),
      success: z.boolean().nullable(),
      /** True if a person rejected or interrupted it. */
      rejected: z.boolean(),
      /** The line of its error that says what failed, up to 200 characters; null if it did not fail. */
      error: z.string().nullable(),
    }),
  ),
  mcp: mcpTools.toolHistory,
})

export const toolPace = operation({
  name: 'tools.pace',
  summary: 'Duration of each tool (median and 95th percentile), failures and refusals.',
  input: z.object({ since, tz, project }),
  output: z.object({
    items: z.array(
      z.object({
        tool: z.string(),
        /** Number of results examined, among the newest 2,000 calls of the tool. */
        timed: z.number(),
        /** Number of them whose time is that from the call to its result: no source measured it. */
        upper_bounds: z.number(),
        p50_ms: z.number().nullable(),
        p95_ms: z.number().nullable(),
        failed: z.number(),
        rejected: z.number(),
      }),
    ),
  }),
})
