import {
  type CallToolRequest as ToolCall,
  type CallToolResult,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { AspyError, toErrorAnswer } from '../../../shared/contract/errors.ts'
import type { McpCaller, McpTool } from '../../../shared/contract/mcp-tools.ts'
import type { Operation } from '../../../shared/contract/operation.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { overTeam } from '../../../shared/contract/team.ts'
import { shortened } from '../../../shared/cut-text.ts'
import { harmless } from '../../../shared/harmless.ts'
import { nameMeant } from '../../../shared/nearest-name.ts'
import { searchForNames } from '../../../shared/recall-notes.ts'
import { fenceData } from '../../base/fence.ts'
import { leanArguments, leanSchema } from './lean-schema.ts'

export interface McpServerOptions {
  readonly operations: readonly Operation[]
  /** Runs a reading operation. Returns the parsed answer. */
  readonly call: (name: string, input: unknown, signal: AbortSignal) => Promise<unknown>
  /** Returns the caller. `meta` is the metadata of the request. */
  readonly callerOf: (meta: { readonly [key: string]: unknown } | undefined) => Promise<McpCaller>
  readonly version: string
}

/** A team has its own project names instead of this machine's directories, and does not know the running turn. */
const IN_A_TEAM: McpCaller = { project: null, session: null }

/** Claude Code's metadata key for a tool that is shown to the model from the start. Other clients ignore it. */
const ALWAYS_LOAD = 'anthropic/alwaysLoad'

/** Creates a read-only MCP server whose tools are the operations with an MCP description. */
export function createMcpServer({ operations, call, callerOf, version }: McpServerOptions): McpServer {
  const server = new McpServer({ name: 'aspy', version })
  const names: string[] = []
  nameNearestTool(server, names)
  for (const operation of operations) {
    const { mcp: tool } = operation
    if (tool === undefined || operation.writes || operation.answer === 'stream') continue
    names.push(tool.name)
    server.registerTool(
      tool.name,
      {
        description: tool.description,
        inputSchema: leanArguments(tool.input),
        ...(tool.answer === 'structured' ? { outputSchema: leanSchema(operation.output) } : {}),
        annotations: { readOnlyHint: true, openWorldHint: false },
        ...(tool.always ? { _meta: { [ALWAYS_LOAD]: true } } : {}),
      },
      async (args, context) => {
        try {
          const { signal, _meta: meta } = context.mcpReq
          const isOfTeam = (args as { readonly scope?: unknown }).scope === 'team'
          const input = tool.toInput(args as never, isOfTeam ? IN_A_TEAM : await callerOf(meta))
          if (!isOfTeam && !('query' in (args as object)))
            await refuseUnknown(args as object, input, (of) => call('recall.search', of, signal))
          const asked = isOfTeam ? overTeam(operation.name, input) : { name: operation.name, input }
          return toResult(tool, await call(asked.name, asked.input, signal))
        } catch (error) {
          return { isError: true, content: [{ type: 'text', text: fencedError(toErrorAnswer(error).message) }] }
        }
      },
    )
  }
  return server
}

/** Names the tool that was probably meant: the SDK only says that there is none. Call it before a tool is registered. */
function nameNearestTool({ server }: McpServer, tools: readonly string[]): void {
  type Handler = (request: ToolCall, context: unknown) => unknown
  const set = server.setRequestHandler.bind(server) as (method: string, handler: Handler) => void
  const setNaming = (method: string, handler: Handler) =>
    set(method, (request, context) => {
      const name: unknown = method === 'tools/call' ? request.params.name : null
      // The SDK refuses what is not text.
      if (typeof name !== 'string' || tools.includes(name)) return handler(request, context)
      const nearest = nameMeant(name, tools)
      const others = nearest === null ? `the tools are ${tools.join(', ')}` : `did you mean "${nearest}"?`
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool "${shortened(name, 60)}"; ${others}`)
    })
  server.setRequestHandler = setNaming as typeof server.setRequestHandler
}

/**
 * Refuses a project, a session or a tool that the caller names and nothing recorded has: an empty answer would say that
 * nothing was done there. What is searched for words says so itself.
 */
async function refuseUnknown(args: object, input: unknown, ask: (of: object) => Promise<unknown>): Promise<void> {
  type Named = { readonly [name in 'project' | 'session_id' | 'tool_name']?: string }
  const { project, session_id, tool_name: tool } = args as Named
  const isNamed = project === (input as Named).project
  if (session_id === undefined && tool === undefined && (project === undefined || !isNamed)) return
  const found = await ask(searchForNames({ session_id, tool, ...(isNamed ? { project } : {}) }))
  const [unknown] = (found as OperationOutput<'recall.search'>).notes?.unknown ?? []
  if (unknown === undefined) return
  const { name, value, exists } = unknown
  const known = exists.length === 0 ? '' : `; recorded are:\n${exists.join('\n')}`
  throw new AspyError('not_found', `no ${name} "${value}" is recorded${known}`)
}

/** Fences all but the first line of an error: the others may name what was recorded. */
function fencedError(message: string): string {
  const [first = '', ...recorded] = message.split('\n')
  return recorded.length === 0 ? first : fenceData(first, recorded.join('\n'))
}

function toResult(tool: McpTool, answer: unknown): CallToolResult {
  if (tool.answer === 'structured') {
    return {
      content: [{ type: 'text', text: fenceData('The answer, in JSON.', JSON.stringify(answer)) }],
      structuredContent: JSON.parse(harmless(JSON.stringify(answer))) as Record<string, unknown>,
    }
  }
  const text = typeof answer === 'object' && answer !== null && 'text' in answer ? answer.text : null
  if (typeof text !== 'string') throw new Error(`${tool.name}: the answer has no text`)
  return { content: [{ type: 'text', text }] }
}
