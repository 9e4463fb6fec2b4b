import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SettingsFix } from '../../src/main/advice/candidate.ts'
import { permissions } from '../../src/main/advice/kinds/permissions.ts'
import { withSettings } from '../../src/main/advice/settings-change.ts'
import { commandHead } from '../../src/main/store/read/advice-events.ts'
import { findClaude, runClaude } from '../support/client/claude-client.ts'
import { lacks } from '../support/runner/lacks.ts'
import { until } from '../support/runner/until.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { lastUserText, startMessagesUpstream } from '../support/upstream/messages-upstream.ts'

const SERVER = `
const lines = require('node:readline').createInterface({ input: process.stdin })
const results = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'idle', version: '1' } },
  'tools/list': {
    tools: ['one', 'get_one'].map((name) => ({ name, description: 'Does a thing', inputSchema: { type: 'object', properties: {} } })),
  },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
}
lines.on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }))
})
`

/** Writes the server "idle"; returns the file that names it to the client. */
function writeServer(folder: string): string {
  const [server, config] = [join(folder, 'server.cjs'), join(folder, 'mcp.json')]
  writeFileSync(server, SERVER)
  writeFileSync(config, JSON.stringify({ mcpServers: { idle: { command: process.execPath, args: [server] } } }))
  return config
}

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
    const config = writeServer(home.path)
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
        const isEnded = async (text: string, count = 1) =>
          upstream.requests.filter(
            ({ kind, ended, bytes }) => kind === 'messages' && ended !== null && bytes.includes(text),
          ).length >= count
        await until('the first turn has ended', () => isEnded('What changed?', 2))
        send('And now?')
        await until('the second turn has ended', () => isEnded('And now?'))
        if (settings === null) await until('a suggestion is asked for', () => isEnded('[SUGGESTION MODE'))
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

/** Commands that were asked about, others that a rule for them allows, and what it still asks about. */
const ASKED = [
  ['npx tsc --noEmit', 'npx tsc --noEmit', 'npx tsc --noEmit --outDir x'],
  ['npm run lint', 'npm run lint 2>&1 | tail -n 5', 'npm run lint -- --fix'],
  ['pnpm run check', 'CI=1 pnpm run check', 'pnpm run check > out.txt'],
  ['make test', 'make test > /dev/null', 'make test deploy'],
  ['./gradlew test', './gradlew test', './gradlew test publish'],
  ['uv run pytest tests', 'uv run pytest -q other', 'uv run deploy'],
  ['gh pr view 12', 'gh pr view 13 --comments', 'gh pr close 12'],
  // The folder stays the client's.
  ['npx eslint src', 'cd web && npx eslint src', 'npx eslint src --fix'],
] as const

describe.skipIf(lacks(findClaude() !== null))('allow rules in the real client', () => {
  const bash = (command: string) => ({ tool: 'Bash', input: { command } })
  const others = [
    { tool: 'mcp__idle__get_one', input: {} },
    { tool: 'WebSearch', input: { query: 'red doors' } },
  ]
  const allowed = [...ASKED.map(([, command]) => bash(command)), ...others]
  const calls = [...allowed, ...ASKED.map(([, , command]) => bash(command)), { tool: 'mcp__idle__one', input: {} }]

  /** The settings that advice writes after such questions. */
  const rules = [...ASKED.map(([command]) => bash(command)), ...others].flatMap(({ tool, input }) => {
    const text = 'command' in input ? input.command : ''
    const ask = {
      session_id: 's',
      at: 0,
      tool,
      text,
      command: commandHead(tool, input),
      is_plain: true,
      approved: true,
    }
    const sessions = [{ session_id: 's', started_at: 0, asked: [ask] }]
    return permissions.find({ sessions } as never, [], {}).flatMap(({ fix }) => fix?.set ?? [])
  })

  /** Runs the client, which asks for one call after the other; returns those that ran. */
  async function ran(settings: string): Promise<readonly object[]> {
    const errors = new Map<number, boolean>()
    await using upstream = await startMessagesUpstream(({ body }) => {
      const blocks = body?.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content)) ?? []
      const results = blocks.filter(({ type }) => type === 'tool_result')
      for (const [at, { is_error: isError }] of results.entries()) errors.set(at, isError === true)
      const next = calls[results.length]
      const isMain = body?.tools?.some(({ name }) => name === 'Bash') === true
      return {
        steps: [isMain && next !== undefined ? { ...next, id: `toolu_${results.length}` } : { text: 'Nothing.' }],
      }
    })
    using home = makeTempFolder('aspy-rules-')
    const [cwd, bin] = [join(home.path, 'orbit'), join(home.path, 'bin')]
    for (const folder of [bin, join(cwd, 'web'), join(cwd, '.claude')]) mkdirSync(folder, { recursive: true })
    const programs = ['npx', 'npm', 'pnpm', 'make', 'uv', 'gh'].map((name) => join(bin, name))
    for (const file of [...programs, join(cwd, 'gradlew')]) writeFileSync(file, '#!/bin/sh\necho ran', { mode: 0o755 })
    writeFileSync(join(cwd, '.claude', 'settings.local.json'), settings)
    await runClaude({
      baseUrl: upstream.url,
      home: home.path,
      cwd,
      prompt: 'Check all.',
      args: ['--model', 'claude-sonnet-4-5', '--mcp-config', writeServer(home.path)],
      env: { ENABLE_TOOL_SEARCH: 'false', PATH: `${bin}${delimiter}${process.env['PATH']}` },
    })
    expect(errors.size).toBe(calls.length)
    return calls.filter((_, at) => errors.get(at) === false)
  }

  test('each allows what it says, and no more; without them, the client asks about all', async () => {
    const [before, after] = await Promise.all([ran('{}'), ran(withSettings('', rules) ?? '')])
    expect(before).toEqual([])
    expect(after).toEqual(allowed)
  })
})
