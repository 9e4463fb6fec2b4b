import type { McpHttp, McpHttpOptions } from './mcp-http.ts'

/** Loads MCP over HTTP with its first client: its SDK takes longer to load than the rest of the app. */
export function createMcpOnDemand(options: McpHttpOptions): McpHttp {
  let opened: Promise<McpHttp> | null = null
  const open = async (): Promise<McpHttp> => {
    const { createMcpHttp } = await import('./mcp-http.ts')
    return createMcpHttp(options)
  }
  return {
    fetch: async (request) => (await (opened ??= open())).fetch(request),
    close: async () => (await opened)?.close(),
  }
}
