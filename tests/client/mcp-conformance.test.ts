import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/shared/contract/index.ts'
import { startMcpKeyShim, type McpKeyShim } from '../support/client/mcp-key-shim.ts'
import { MCP_CONFORMANCE, MCP_INSPECTOR, runSuite } from '../support/client/mcp-suites.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { few } from '../support/runner/heavy.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { lacks } from '../support/runner/lacks.ts'

let app: TestApp
let shim: McpKeyShim
beforeAll(async () => {
  app = await startApp({ upstream: 'http://127.0.0.1:1' })
  shim = await startMcpKeyShim(`${app.app}/mcp`, readFileSync(join(app.data, 'mcp'), 'utf8').trim())
})
afterAll(async () => {
  await shim?.[Symbol.asyncDispose]()
  await app?.close()
})

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

/** Scenarios that need neither tools made for them nor features that Aspy does not offer (prompts, resources, …). */
const NEEDED = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
    'server-sse-multiple-streams',
    'sep-2164-resource-not-found',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
  ],
} as const

/** What may fail in them: checks that ask for a tool of the suite's own, and lists of what is not offered. */
const FOR_OTHERS =
  /^Not testable: server does not list the diagnostic tool|^(prompts|resources)\/.* -32601: Method not found/

describe.skipIf(lacks(MCP_CONFORMANCE.find() !== null))('the conformance suite', () => {
  test.each(few(['2026-07-28', '2025-11-25'] as const, 1))('of revision %s passes', async (revision) => {
    using results = makeTempFolder()
    const args = ['server', '--url', shim.url, '--requirements', revision, '--output-dir', results.path]
    const { stdout } = await runSuite(MCP_CONFORMANCE.find() ?? '', args)
    expect(stdout).toContain('=== SUMMARY ===')
    const folders = readdirSync(results.path)
    for (const scenario of NEEDED[revision]) {
      const folder = folders.find((name) => name.startsWith(`server-${scenario}-20`)) ?? scenario
      const checks = JSON.parse(readFileSync(join(results.path, folder, 'checks.json'), 'utf8')) as Check[]
      expect(checks.length, scenario).toBeGreaterThan(0)
      const failed = checks.filter(
        ({ status, errorMessage }) => status === 'FAILURE' && !FOR_OTHERS.test(errorMessage ?? ''),
      )
      expect(failed, scenario).toEqual([])
      const passed = checks.filter(({ status }) => status === 'SUCCESS')
      expect(passed.length, scenario).toBeGreaterThan(0)
    }
  })
})

describe.skipIf(lacks(MCP_INSPECTOR.find() !== null))('the inspector', () => {
  test('reports no error in the list of tools', async () => {
    const args = ['--cli', shim.url, '--transport', 'http', '--method', 'tools/list', '--strict']
    const { ok, stdout, stderr } = await runSuite(MCP_INSPECTOR.find() ?? '', args)
    expect(ok, stderr).toBe(true)
    expect(stderr).not.toMatch(/^Error: tool/m)
    const { tools } = JSON.parse(stdout) as { tools: { name: string }[] }
    expect(tools).toHaveLength(OPERATIONS.filter((operation) => 'mcp' in operation && operation.mcp).length)
  })
})
