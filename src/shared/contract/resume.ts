import { z } from 'zod'
import { limit, moment, project, sessionId, tz } from './fields.ts'
import { mcpTools } from './mcp-tools.ts'
import { operation } from './operation.ts'
import { textAnswer } from './recall.ts'

export const sessionsPast = operation({
  name: 'sessions.past',
  summary: 'Past sessions with their summaries as one text, newest first; with a session, its conversation.',
  input: z.object({
    session_id: sessionId.optional(),
    limit: limit(20, 200),
    before: moment.optional(),
    since: moment.optional(),
    tz,
    user_id: z.string().max(200).optional(),
    project: z.string().max(4096).optional(),
  }),
  output: z.object({
    text: z.string(),
    /** Empty if a session was named. */
    sessions: z.array(
      z.object({
        session_id: z.string(),
        project: z.string().nullable(),
        title: z.string().nullable(),
        started_at: z.string(),
        last_event_at: z.string(),
        prompts: z.number(),
        summary: z.string(),
      }),
    ),
  }),
  mcp: mcpTools.sessionHistory,
})

const resumed = z.object({
  at: z.string(),
  /**
   * hook: the client reported the resume. request: the client has no hooks, and a request had fewer messages than the
   * previous one. link: the session continues another one under a new ID, resumed or forked.
   */
  basis: z.enum(['hook', 'request', 'link']),
  /** The session that was continued under a new ID. */
  from_session_id: z.string().nullable(),
  /** uuid of the first request after it. */
  request: z.string(),
  /** Prompts and answers since the last compaction. */
  had: z.number(),
  carried: z.number(),
  lost_count: z.number(),
  /** Number of tool results that the request lacks or has only as a note. */
  lost_results: z.number(),
  /** The messages and tool results that it lacks, oldest first, at most 100. */
  lost: z.array(
    z.object({
      uuid: z.string(),
      role: z.enum(['user', 'assistant', 'tool']),
      /** For a tool result, if it is known. */
      tool_name: z.string().nullable(),
      turn_id: z.number(),
      timestamp: z.string(),
      content: z.string(),
    }),
  ),
})

export const sessionResumeTruth = operation({
  name: 'sessions.resume_truth',
  summary:
    'Whether the first request after the last resume carried the whole session, and a pack of the missing parts.',
  http: { method: 'GET', path: '/api/sessions/:session_id/resume-truth' },
  input: z.object({ session_id: sessionId, budget: z.coerce.number().int().min(100).max(20_000).default(4000) }),
  output: z.object({
    session_id: z.string(),
    /** null: the session was not resumed, a compaction explains the difference, or the request's body is not stored. */
    resumed: resumed.nullable(),
    /** The lost messages; null if there are none. */
    pack: textAnswer.nullable(),
  }),
})

export const sessionResume = operation({
  name: 'sessions.resume',
  summary:
    'Where a session left off: prompt, question, tasks, files, commands, errors, and what a resume lost, as a pack.',
  http: { method: 'GET', path: '/api/sessions/:session_id/resume' },
  input: z.object({ session_id: sessionId, budget: z.coerce.number().int().min(100).max(20_000).default(1000) }),
  output: textAnswer.extend({
    session_id: z.string(),
    last_prompt: z.string().nullable(),
    last_action: z.string().nullable(),
    open_tasks: z.array(z.string()),
    /** The newest commands with their outcome: `$ npm test: failed`. */
    commands: z.array(z.string()),
    /** Errors without a later successful retry or call, newest first. */
    errors: z.array(z.string()),
    /** The tasks behind `open_tasks`, the main agent's first. */
    tasks: z.array(
      z.object({
        agent_id: z.string().nullable(),
        task_id: z.string(),
        subject: z.string(),
        status: z.string(),
        updated_at: z.string(),
        event_uuid: z.string(),
      }),
    ),
    /** Files that were edited, the newest first. */
    files: z.array(
      z.object({
        path: z.string(),
        edits: z.number(),
        /** Lines. */
        added: z.number(),
        removed: z.number(),
        last_at: z.string(),
      }),
    ),
    last_question: z
      .object({ uuid: z.string(), timestamp: z.string(), text: z.string(), answered: z.boolean() })
      .nullable(),
    /**
     * Content of the client's first request after the last resume; null: the session was not resumed, or the body of
     * that request is not stored.
     */
    resumed: resumed.nullable(),
    /** The lost messages as a separate pack. */
    lost_pack: z.string().optional(),
  }),
})

export const resumeLatest = operation({
  name: 'sessions.resume_latest',
  summary: 'Like sessions.resume, but without a session it uses the newest one of the project.',
  input: z.object({
    session_id: sessionId.optional(),
    project,
    budget: z.coerce.number().int().min(100).max(20_000).default(1000),
  }),
  output: sessionResume.output,
  mcp: mcpTools.resumeContext,
})
