import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SettingsFix } from '../../src/main/advice/candidate.ts'
import { withSettings } from '../../src/main/advice/settings-change.ts'
import { findClaude, runClaude } from '../support/client/claude-client.ts'
import { lacks } from '../support/runner/lacks.ts'
import { until } from '../support/runner/until.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { lastUserText, startMessagesUpstream } from '../support/upstream/messages-upstream.ts'

const SERVER = `
const lines = require('node:readline').createInterface({ input: process.stdin })
const results = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'idle', version: '1' } },
  'tools/list': { tools: [{ name: 'one', description: 'Does a thing', inputSchema: { type: 'object', properties: {} } }] },
}
lines.on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
})
`

/** The settings of each fix as advice writes them, and what in a run's requests shows the waste. */
const FIXES: Readonly<Record<string, Required<Pick<SettingsFix, 'set'>> & { shows: (requests: string) => boolean }>> = {
  pauses: {
    set: [{ path: ['env', 'ENABLE_PROMPT_CACHING_1H'], value: '1' }],
    shows: (requests) => /"cache_control":\{"type":"ephemeral"\}/.test(requests),
  },
  broken_cache: {
    set: [{ path: ['env', 'CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS'], value: '1' }],
    shows: (requests) => requests.includes('gitStatus'),
  },
  carried_unused: {
    set: [{ path: ['permissions', 'deny'], value: 'mcp__idle', add: true }],
    shows: (requests) => requests.includes('"name":"mcp__idle__one"'),
  },
  unrequested: {
    set: [{ path: ['env', 'CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION'], value: 'false' }],
    shows: (requests) => requests.includes('[SUGGESTION MODE'),
  },
  permissions: {
    set: [{ path: ['permissions', 'allow'], value: 'Bash(npm test:*)', add: true }],
    shows: (requests) => !requests.includes('all seven doors are red'),
  },
}

describe.skipIf(lacks(findClaude() !== null))('fixes in the real client', () => {
  /** Runs the client in a repository with a server and suggestions; returns its requests as one text. */
  async function requestsWith(settings: string | null): Promise<string> {
    await using upstream = await startMessagesUpstream(({ body }, n) =>
      n === 0 && lastUserText(body).includes('What changed?')
        ? { steps: [{ tool: 'Bash', input: { command: 'npm test' }, id: 'toolu_1' }] }
        : { steps: [{ text: 'Nothing.' }] },
    )
    using home = makeTempFolder('aspy-fixes-')
    const cwd = join(home.path, 'orbit')
    const local = join(cwd, '.claude', 'settings.local.json')
    mkdirSync(dirname(local), { recursive: true })
    execFileSync('git', ['init', '-q', cwd])
    const scripts = { test: "node -p \"'all ' + (3 + 4 === 7 && 'seven') + ' doors are red'\"" }
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name: 'orbit', scripts }))
    if (settings !== null) writeFileSync(local, settings)
    const [server, config] = [join(home.path, 'server.cjs'), join(home.path, 'mcp.json')]
    writeFileSync(server, SERVER)
    writeFileSync(config, JSON.stringify({ mcpServers: { idle: { command: process.execPath, args: [server] } } }))
    await runClaude({
      baseUrl: upstream.url,
      home: home.path,
      cwd,
      prompt: 'What changed?',
      args: ['--model', 'claude-sonnet-4-5', '--mcp-config', config, '--prompt-suggestions', 'true'],
      settings: { env: { CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: '1' } },
      env: { ENABLE_TOOL_SEARCH: 'false', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '' },
      // A suggestion is asked for after the second answer.
      more: async (send) => {
        const ended = async () =>
          upstream.requests.filter((one) => one.kind === 'messages' && one.ended !== null).length
        await until('the first turn has ended', async () => (await ended()) === 2)
        send('And now?')
        await until('the second turn has ended', async () => (await ended()) > 2)
        if (settings === null) await until('a suggestion is asked for', async () => (await ended()) > 3)
        else await new Promise((resolve) => setTimeout(resolve, 3000))
      },
    })
    return upstream.requests.map(({ bytes }) => bytes.toString()).join('\n')
  }

  test('each setting takes its waste out of the requests', async () => {
    const shown = (requests: string) => Object.keys(FIXES).filter((kind) => FIXES[kind]?.shows(requests) === true)
    expect(shown(await requestsWith(null))).toEqual(Object.keys(FIXES))
    const all = Object.values(FIXES).flatMap(({ set }) => set)
    expect(shown(await requestsWith(withSettings('', all)))).toEqual([])
  })
})
