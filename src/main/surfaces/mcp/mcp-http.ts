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
  /** Who made a tool call, by its tool-use id; null where nobody knows. */
  readonly whoCalled: (callId: string) => Promise<McpCaller | null>
  readonly onError: (error: Error) => void
}

/** Claude Code's word for the id under which its model called a tool: it leads to the session that was recorded. */
const TOOL_USE_ID = 'claudecode/toolUseId'
/** A caller that knows its working directory says it in this header. */
const PROJECT_HEADER = 'x-aspy-project'

/**
 * MCP over Streamable HTTP, revisions 2026-07-28 and 2025-11-25, stateless. Whoever comes here has been admitted: Host,
 * Origin and key are checked before.
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
