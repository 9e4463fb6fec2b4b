import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pluginFiles } from '../../src/main/clients/claude-code/setup/plugin-files.ts'
import { findClaude } from '../support/client/claude-client.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { lacks } from '../support/runner/lacks.ts'

const SHIPPED = join(import.meta.dirname, '../../resources/claude-plugin')

/** The real client's verdict on a plugin, with warnings counted as errors. */
async function validate(folder: string): Promise<{ code: number | null; said: string }> {
  using home = makeTempFolder('aspy-client-')
  const client = findClaude()
  if (client === null) throw new Error('Claude Code was not fetched')
  const child = spawn(client, ['plugin', 'validate', '--strict', folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: home.path,
    env: {
      PATH: process.env['PATH'],
      HOME: home.path,
      USERPROFILE: home.path,
      ANTHROPIC_API_KEY: 'sk-ant-dummy',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
    },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('close', resolve)
    child.on('error', reject)
  })
  return { code, said }
}

/** The plugin as setup installs it, with its places filled in; `change` gives files other contents. */
async function validateInstalled(change: { readonly [path: string]: string } = {}) {
  using folder = makeTempFolder()
  const files = pluginFiles({
    source: SHIPPED,
    aspy: ['/opt/aspy dir/node', '/opt/aspy dir/bin/aspy'],
    dataDir: '/home/ann/.local/share/aspy',
    hooksUrl: 'http://127.0.0.1:2780/api/hooks',
    hooksKey: 'k'.repeat(43),
    watchesFiles: true,
  })
  for (const [path, text] of [...files, ...Object.entries(change)]) {
    const file = join(folder.path, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return await validate(folder.path)
}

describe.skipIf(lacks(findClaude() !== null))('the client takes the plugin without a warning', () => {
  test('as shipped', async () => {
    const { code, said } = await validate(SHIPPED)
    expect(said).toContain('Validation passed')
    expect(code, said).toBe(0)
    for (const part of [
      'commands: aspy:recall',
      'agents: aspy:recall',
      'agents: aspy:analysis',
      'skills: aspy:past-context',
    ])
      expect(said).toContain(part)
  })

  test('as installed by setup', async () => {
    const { code, said } = await validateInstalled()
    expect(code, said).toBe(0)
    expect(said).toContain('mcpServers: aspy')
  })

  test('a fault in the plugin is reported', async () => {
    const { code, said } = await validateInstalled({ 'agents/recall.md': '---\nname: recall\n---\nFind it.\n' })
    expect(said).toContain('No description')
    expect(code).toBe(1)
  })
})
