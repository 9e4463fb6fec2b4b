import { z } from 'zod'
import { mainFolderOf } from '../folders.ts'
import { bounded as limit, sessionId, uuid } from './fields.ts'

/** The caller of a tool, as far as it is known. */
export interface McpCaller {
  /** Working directory: answers cover this project unless all projects are requested. */
  readonly project: string | null
  /** Session: the caller already sees the running turn there. */
  readonly session: string | null
}

/** An operation as MCP clients see it. The surface adds nothing. */
export interface McpTool {
  readonly name: string
  /** At most two sentences, written so that a model uses the tool at the right moment. */
  readonly description: string
  /** text: the string field `text` of the answer; structured: structuredContent with the output's schema. */
  readonly answer: 'text' | 'structured'
  /** Asks the client to show the tool to its model from the start. Other tools are listed by name until searched for. */
  readonly always?: true
  /** Arguments of the tool. */
  readonly input: z.ZodType
  /** Maps the parsed arguments to the operation's input. An argument `scope` is read by the surface. */
  readonly toInput: (args: never, caller: McpCaller) => unknown
}

/** Bounds the definitions of all tools together, in tokens: they are part of the context of every session. */
export const MCP_TOKEN_BUDGET = 1500
/** Low estimate for JSON of this kind, which has between three and four characters per token. */
export const MCP_CHARACTERS_PER_TOKEN = 3.3

/** `current`, `all`, or the path of a project. */
const projectScope = z.string().max(4096).default('current')
const anyProject = projectScope.default('all')
// Their limits are checked by the operations, since each limit here would cost tokens in every session.
const offset = z.int().default(0)
const budget = z.int().optional()
const query = z.string().max(2000)
const time = z.string().max(40).optional()
/** Reads the team's history instead. The surface then calls the operation over it. */
const scope = z.literal('team').optional()

interface Scoped {
  readonly project: string
}

/** Returns the project of a call: its caller's, unless another or all are requested. */
function projectOf({ project }: Scoped, caller: Pick<McpCaller, 'project'>): { project?: string } {
  const named = project.trim().toLowerCase()
  if (named === 'all') return {}
  if (named !== 'current') return { project }
  return caller.project === null ? {} : { project: caller.project }
}

/** Returns the project that a search of a caller covers: that of a worktree is its repository. */
const searchedBy = (args: Scoped, { project }: McpCaller) =>
  projectOf(args, { project: project === null ? null : mainFolderOf(project) })

/** Returns the whole path of a file that a caller names from its working directory. */
const underProject = (path: string, project: string | null): string =>
  project === null || /^(?:[\\/~]|[A-Za-z]:)/.test(path) ? path : `${project}/${path}`

/** Returns the scope of a search: its project, without the running turn. */
const forCaller = (args: Scoped, caller: McpCaller) => ({
  ...searchedBy(args, caller),
  ...(caller.session === null ? {} : { asked_in: caller.session }),
})

/** The MCP tools. Each belongs to the operation that names it. Session ids and uuids may be shortened. */
export const mcpTools = {
  recallContext: mcpTool({
    name: 'aspy_recall_context',
    always: true,
    description:
      'Recall earlier conversation of this project, all (project "all") or the team (scope "team"): decisions, reasons, code, what compaction dropped. Use it before guessing or asking again, and when the user refers to past work.',
    answer: 'text',
    input: z.object({
      query: query.describe('words, a "phrase", or a question'),
      limit: limit(10, 50),
      offset,
      budget,
      include_thinking: z.boolean().default(true),
      include_prompts: z.boolean().default(true),
      include_tools: z.boolean().default(false),
      include_actions: z.boolean().default(false).describe('edits and commands'),
      title: z.string().optional(),
      project: projectScope,
      since: time.describe('2026-11-21 or 7d'),
      scope,
    }),
    toInput: (args, caller) => ({
      query: args.query,
      limit: args.limit,
      offset: args.offset,
      budget: args.budget,
      thinking: args.include_thinking,
      prompts: args.include_prompts,
      tools: args.include_tools,
      actions: args.include_actions,
      title: args.title,
      since: args.since,
      ...forCaller(args, caller),
    }),
  }),
  searchThinking: mcpTool({
    name: 'aspy_search_thinking',
    description: 'Search only past reasoning: why something was decided, tried or rejected.',
    answer: 'text',
    input: z.object({
      query,
      limit: limit(10, 50),
      offset,
      budget,
      session_id: sessionId.optional(),
      syntax: z.enum(['plain', 'fts5']).default('plain'),
      project: projectScope,
    }),
    toInput: ({ project, ...args }, caller) => {
      // A named session is searched in any project.
      const scope = args.session_id !== undefined && project === 'current' ? 'all' : project
      return { ...args, ...forCaller({ project: scope }, caller) }
    },
  }),
  searchUserPrompts: mcpTool({
    name: 'aspy_search_user_prompts',
    description: 'Search only what the user asked or said.',
    answer: 'text',
    input: z.object({ query, limit: limit(20, 50), offset, budget, project: projectScope }),
    toInput: ({ project, ...args }, caller) => ({ ...args, ...forCaller({ project }, caller) }),
  }),
  get: mcpTool({
    name: 'aspy_get',
    description: 'Read a hit in full, with its surroundings, by the id in its source line.',
    answer: 'text',
    input: z.object({ uuid, page: z.int().min(1).default(1) }),
    toInput: (args) => args,
  }),
  resumeContext: mcpTool({
    name: 'aspy_resume_context',
    description:
      'To continue earlier work: last prompt, open tasks, files, commands, errors, open question, what a resume lost.',
    answer: 'text',
    input: z.object({ session_id: sessionId.optional().describe('default: newest here') }),
    toInput: (args, caller) => ({ ...args, ...(caller.project === null ? {} : { project: caller.project }) }),
  }),
  memories: mcpTool({
    name: 'aspy_memories',
    description: 'Facts the user asked to remember, with category, confidence and evidence.',
    answer: 'text',
    input: z.object({
      query: z.string().max(500).optional(),
      category: z.string().max(60).optional(),
      since: time,
      project: projectScope,
    }),
    toInput: ({ project, ...args }, caller) => ({ ...args, ...searchedBy({ project }, caller) }),
  }),
  timeline: mcpTool({
    name: 'aspy_timeline',
    description: 'The events of a session in order, with durations.',
    answer: 'text',
    input: z.object({ session_id: sessionId, start: time, end: time, limit: limit(100, 500) }),
    toInput: (args) => ({ ...args, as_text: true }),
  }),
  sessionHistory: mcpTool({
    name: 'aspy_session_history',
    description: 'Prompts and answers of a session; without session_id, past sessions.',
    answer: 'text',
    input: z.object({
      session_id: sessionId.optional(),
      limit: limit(20, 200),
      before: time,
      since: time,
      user_id: z.string().max(200).optional(),
      project: projectScope,
      scope,
    }),
    toInput: ({ project, session_id, limit, before, since, user_id }, caller) => ({
      session_id,
      limit,
      before,
      since,
      user_id,
      ...(session_id === undefined ? projectOf({ project }, caller) : {}),
    }),
  }),
  recentEvents: mcpTool({
    name: 'aspy_recent_events',
    description: 'The newest events, also of parallel sessions.',
    answer: 'text',
    input: z.object({ limit: limit(50, 200), session_id: sessionId.optional(), project: projectScope }),
    toInput: (args, caller) => ({
      limit: args.limit,
      session_id: args.session_id,
      as_text: true,
      ...projectOf(args, caller),
    }),
  }),
  traceEvent: mcpTool({
    name: 'aspy_trace_event',
    description: 'Why an event happened, back to the prompt; without uuid, the last error.',
    answer: 'text',
    input: z.object({
      uuid: uuid.optional(),
      match: z.string().max(500).optional().describe('word of the error'),
      down: z.boolean().default(false).describe('what it caused'),
    }),
    toInput: (args) => ({ ...args, last_error: args.uuid === undefined, as_text: true }),
  }),
  whyLine: mcpTool({
    name: 'aspy_why_line',
    description: 'Which prompt and call wrote a line of a file, as far as the record proves it.',
    answer: 'text',
    input: z.object({ path: z.string(), line: z.int().min(1) }),
    toInput: ({ path, line }, { project }) => ({ path: underProject(path, project), line, as_text: true }),
  }),
  toolHistory: mcpTool({
    name: 'aspy_tool_history',
    description: 'Past tool calls: inputs, durations, success.',
    answer: 'structured',
    input: z.object({
      tool_name: z.string().max(200).optional(),
      session_id: sessionId.optional(),
      limit: limit(20, 200),
    }),
    toInput: (args) => args,
  }),
  advice: mcpTool({
    name: 'aspy_advice',
    description: 'Ways to spend less, with stake and fix.',
    answer: 'structured',
    input: z.object({}),
    toInput: () => ({ evidence: 3 }),
  }),
  lifetimeStats: mcpTool({
    name: 'aspy_lifetime_stats',
    description: 'Totals over all sessions: tokens, cost, models, tools.',
    answer: 'structured',
    input: z.object({ since: time, until: time, project: anyProject }),
    toInput: ({ project, ...args }, caller) => ({ ...args, ...projectOf({ project }, caller) }),
  }),
}

function mcpTool<Args extends z.ZodType>(
  tool: Omit<McpTool, 'input' | 'toInput'> & {
    input: Args
    toInput: (args: z.output<Args>, caller: McpCaller) => unknown
  },
): McpTool {
  return tool
}
