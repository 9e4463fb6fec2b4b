import { ANTHROPIC_SDK } from '../client/anthropic-sdk.ts'
import { CLAUDE_CODE } from '../client/claude-client.ts'
import { CODEX } from '../client/codex-client.ts'
import { OPENCODE, OTHER_CLIENTS } from '../client/other-clients.ts'
import { fetchPackage } from '../client/fetched-package.ts'
import { MCP_CONFORMANCE, MCP_INSPECTOR } from '../client/mcp-suites.ts'
import { isHeavy } from './heavy.ts'

/**
 * Runs before the client tests: downloads the pinned Claude Code and Codex, other clients, the SDK and the MCP
 * conformance suites into a cache folder, once.
 * If one is not available, its tests are skipped with one line; with CI set, that is a failure.
 */
export default async function setUpClient(): Promise<void> {
  const others = (isHeavy ? [...OTHER_CLIENTS, OPENCODE] : []).map(({ from }) => from)
  for (const wanted of [CLAUDE_CODE, CODEX, ANTHROPIC_SDK, MCP_CONFORMANCE, MCP_INSPECTOR, ...others]) {
    const why = await fetchPackage(wanted)
    if (why === null) continue
    const line = `${wanted.name} ${wanted.version} could not be fetched from npm: ${why}`
    if (process.env['CI']) throw new Error(line)
    process.stderr.write(`The tests that run it are skipped. ${line}\n`)
  }
}
