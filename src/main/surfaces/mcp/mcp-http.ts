import { createMcpHandler } from '@modelcontextprotocol/server'
import type { McpCaller } from '../../../shared/contract/mcp-tools.ts'
import type { Operation } from '../../../shared/contract/operation.ts'
import type { Dispatch } from '../../dispatch/dispatch.ts'
import { createMcpServer } from './mcp-server.ts'

export interface McpHttp {
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

export interface McpHttpOptions {
  readonly operations: readonly Operation[]
  readonly dispatch: Dispatch
  readonly version: string
  /** Returns the caller of a tool by the tool-use id; null if unknown. */
  readonly whoCalled: (callId: string) => Promise<McpCaller | null>
  readonly onError: (error: Error) => void
}

/** Claude Code's metadata key for the tool-use id, which leads to the recorded session. */
const TOOL_USE_ID = 'claudecode/toolUseId'
/** Header with the working directory of the caller. */
const PROJECT_HEADER = 'x-aspy-project'

/**
 * Serves MCP over Streamable HTTP, revisions 2026-07-28 and 2025-11-25, without sessions. Host, Origin and key have been
 * checked before.
 */
export function createMcpHttp(options: McpHttpOptions): McpHttp {
  const decoder = new TextDecoder()
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const project = requestInfo?.headers.get(PROJECT_HEADER) ?? null
      return createMcpServer({
        operations: options.operations,
        version: options.version,
        callerOf: async (meta) => {
          const callId = meta?.[TOOL_USE_ID]
          const known =
            typeof callId === 'string' && callId !== '' ? await options.whoCalled(callId.slice(0, 200)) : null
          return { project: project ?? known?.project ?? null, session: known?.session ?? null }
        },
        call: async (name, input, signal) =>
          JSON.parse(decoder.decode(await options.dispatch.call(name, input, { access: 'read', project, signal }))),
      })
    },
    { onerror: options.onError },
  )
  return { fetch: (request) => handler.fetch(request), close: () => handler.close() }
}
