import { CLAUDE_CODE } from '../client/claude-client.ts'
import { fetchPackage } from '../client/fetched-package.ts'
import { MCP_CONFORMANCE, MCP_INSPECTOR } from '../client/mcp-suites.ts'

/**
 * Before the client tests: fetches the pinned Claude Code and the suites that judge MCP servers into a cache folder,
 * once. Where one cannot be had its tests are skipped with one line; with CI set that is a failure, since a skipped
 * client proves nothing.
 */
export default async function setUpClient(): Promise<void> {
  for (const wanted of [CLAUDE_CODE, MCP_CONFORMANCE, MCP_INSPECTOR]) {
    const why = await fetchPackage(wanted)
    if (why === null) continue
    const line = `${wanted.name} ${wanted.version} could not be fetched from npm: ${why}`
    if (process.env['CI']) throw new Error(line)
    process.stderr.write(`The tests that run it are skipped. ${line}\n`)
  }
}
