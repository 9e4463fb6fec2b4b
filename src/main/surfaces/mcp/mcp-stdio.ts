import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createMcpServer, type McpServerOptions } from './mcp-server.ts'

/** Serves MCP on stdin and stdout of this process. Resolves when the client has closed its end. */
export async function runMcpStdio(options: McpServerOptions & { readonly onError: (error: Error) => void }) {
  const closed = new Promise<void>((resolve) => process.stdin.once('end', resolve).once('close', resolve))
  const handle = serveStdio(() => createMcpServer(options), { onerror: options.onError })
  await closed
  await handle.close()
}
