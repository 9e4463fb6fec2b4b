import { AspyError } from '../../../shared/contract/errors.ts'
import { OPERATIONS, type OperationName } from '../../../shared/contract/index.ts'
import { packageVersion } from '../../base/app-files.ts'
import { runMcpStdio } from '../../surfaces/mcp/mcp-stdio.ts'
import { connect, type Client } from '../client.ts'
import type { RunSettings } from '../settings-of-run.ts'

/** `aspy mcp`: serves MCP over stdio, through the running app or the data file. The app may start or stop meanwhile. */
export async function mcp(settings: RunSettings): Promise<void> {
  let client: Client | null = null

  async function call(name: string, input: unknown): Promise<unknown> {
    const operation = name as OperationName
    client ??= await connect(settings)
    try {
      return await client.call(operation, input as never)
    } catch (error) {
      // The app has stopped, or another one has replaced it.
      if (!(error instanceof AspyError) || error.code !== 'unreachable') throw error
      client = await connect(settings)
      return client.call(operation, input as never)
    }
  }

  await runMcpStdio({
    operations: OPERATIONS,
    version: packageVersion(),
    // Claude Code sets both variables for the servers it starts.
    callerOf: async () => ({
      project: process.env['CLAUDE_PROJECT_DIR'] || process.cwd(),
      session: process.env['CLAUDE_CODE_SESSION_ID'] || null,
    }),
    call,
    onError: (error) => console.error(error.message),
  })
  await (client as Client | null)?.close()
}
