import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAspy } from '../support/app/aspy-command.ts'
import { recordedEvents, settled } from '../support/app/recorded-session.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { findClaude, type ClaudeResult } from '../support/client/claude-client.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { startTerminator, startUnknowingApi } from '../support/tunnel/tls-terminator.ts'
import type { Answer } from '../support/upstream/messages-answer.ts'
import {
  lastUserText,
  startMessagesUpstream,
  type MessagesUpstream,
  type SeenRequest,
} from '../support/upstream/messages-upstream.ts'
import { farFromMidnight } from '../support/runner/far-from-midnight.ts'
import { lacks } from '../support/runner/lacks.ts'

/** One story with all that a client does, told three ways: directly, through a base URL, and through the tunnel. */

const QUIET = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', DISABLE_TELEMETRY: '1' }
const WAYS = ['direct', 'base', 'full'] as const
type Way = (typeof WAYS)[number]

/** A server of one tool, over stdio. */
const MCP_SERVER = `
process.stdin.setEncoding('utf8'); let rest = '';
const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
process.stdin.on('data', (text) => { rest += text; const lines = rest.split('\\n'); rest = lines.pop();
  for (const line of lines) { const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'zoo', version: '1' } });
    else if (method === 'tools/list') say(id, { tools: [{ name: 'count', description: 'Counts animals', inputSchema: { type: 'object', properties: {} } }] });
    else if (method === 'tools/call') say(id, { content: [{ type: 'text', text: 'three zebras' }] });
    else if (id !== undefined) say(id, {}); } });`

/** Which tools the client offers decides which calls the story makes: the same in all ways, or the test fails. */
function script(request: SeenRequest): Answer {
  const { body } = request
  const last = lastUserText(body)
  const said = JSON.stringify(body?.messages ?? [])
  const called = (tool: string) => said.includes(`"name":"${tool}"`)
  if (last.includes('CRITICAL: Respond with TEXT ONLY'))
    return { steps: [{ text: '<summary>\n1. Zebras were counted.\n</summary>' }] }
  if (request.agentId !== null) return { steps: [{ thinking: 'I look.' }, { text: 'The agent saw three.' }] }
  if (last.includes('What did we')) return { steps: [{ text: 'We counted zebras.' }] }
  const bash = { tool: 'Bash', input: { command: 'echo zebra', description: 'Say it' } }
  if (!called('Bash')) return { steps: [{ thinking: 'First a call.' }, bash] }
  const search = { tool: 'ToolSearch', input: { query: 'select:mcp__zoo__count', max_results: 1 } }
  if (!called('ToolSearch') && JSON.stringify(body).includes('"ToolSearch"')) return { steps: [search] }
  if (!called('mcp__zoo__count')) return { steps: [{ tool: 'mcp__zoo__count', input: {} }] }
  const input = { description: 'Look', prompt: 'Look at them.', subagent_type: 'general-purpose' }
  if (!called('Agent')) return { steps: [{ tool: 'Agent', input: { ...input, run_in_background: false } }] }
  return { steps: [{ text: 'All counted.' }] }
}

/** Values that differ between runs: ids, times and folders. */
const masked = (body: string, home: string): string =>
  body
    .replaceAll(home, '<home>')
    .replaceAll(home.replaceAll(/[^a-zA-Z0-9]/g, '-'), '<home>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/\b[0-9a-f]{64}\b/g, '<hash>')
    .replaceAll(/\b(toolu|msg|req)_[0-9A-Za-z]+/g, '<id>')
    .replaceAll(/"signature":"[^"]+"/g, '"signature":""')
    .replaceAll(/agentId: \w+|duration_ms: \d+|'[0-9a-f]{17}'/g, '<run>')
    .replaceAll(/cch=[0-9a-f]+|cc_version=[\d.]+[0-9a-f.]*/g, '<cch>')

/** The place where two long texts begin to differ, short enough to read; null if they do not. */
function firstDifference(one: string, other: string): readonly string[] | null {
  if (one === other) return null
  const at = [...one].findIndex((_, index) => one[index] !== other[index])
  return [one, other].map((text) => text.slice(Math.max(0, at - 60), at + 80))
}

interface Told {
  readonly bodies: readonly string[]
  readonly betas: readonly string[]
  readonly events: readonly unknown[]
  readonly hooks: number
}

describe.skipIf(lacks(findClaude() !== null))('one story of the real client', () => {
  let upstream: MessagesUpstream
  let app: TestApp
  const told = new Map<Way, Told>()

  beforeAll(async () => {
    // The client tells the model the date.
    await farFromMidnight()
    upstream = await startMessagesUpstream(script)
    app = await startApp({ upstream: upstream.url })
    for (const way of WAYS) told.set(way, await tell(way))
  })
  afterAll(async () => {
    await app?.close()
    await upstream?.close()
  })

  async function tell(way: Way): Promise<Told> {
    using folder = makeTempFolder('aspy-story-')
    await using terminator = way === 'direct' ? await startTerminator(upstream.url) : null
    // In base-URL mode the client must not reach Anthropic's own address.
    await using unknowing = way === 'base' ? await startUnknowingApi() : null
    const home = realpathSync(folder.path)
    const config = join(home, '.claude')
    mkdirSync(config)
    const [server, noted] = [join(home, 'zoo.cjs'), join(home, 'hooked')]
    writeFileSync(server, MCP_SERVER)
    const zoo = join(home, 'mcp.json')
    writeFileSync(zoo, JSON.stringify({ mcpServers: { zoo: { command: process.execPath, args: [server] } } }))
    const hook = [{ matcher: '*', hooks: [{ type: 'command', command: `cat >> ${noted}` }] }]
    writeFileSync(join(config, 'settings.json'), JSON.stringify({ hooks: { PreToolUse: hook, PostToolUse: hook } }))
    const env = { ANTHROPIC_API_KEY: 'sk-ant-dummy', ENABLE_TOOL_SEARCH: 'true', ...QUIET }
    const before = upstream.requests.length
    const run = async (...words: readonly string[]): Promise<ClaudeResult> => {
      const allowed = ['--mcp-config', zoo, '--allowedTools', 'Bash(echo:*)', 'mcp__zoo__count', 'Agent', 'ToolSearch']
      const args = ['-p', ...words, '--output-format', 'json', '--thinking-display', 'summarized', ...allowed]
      const client = dirname(findClaude() ?? '')
      const all = { ...env, PATH: `${client}:${process.env['PATH'] ?? ''}` }
      if (way === 'direct') {
        const child = spawn('claude', args, {
          cwd: home,
          env: { HOME: home, ...all, ...terminator?.env },
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        return JSON.parse(await text(child.stdout)) as ClaudeResult
      }
      const flags = way === 'base' ? ['--assume'] : ['--full']
      const command = ['run', '--data', app.data, ...flags, '--', 'claude', ...args]
      const { code, stdout, stderr } = await startAspy(command, { ...all, ...unknowing?.env }, home, home).finished
      expect(code, stderr).toBe(0)
      return JSON.parse(stdout) as ClaudeResult
    }
    const { session_id } = await run('Count the animals.')
    await run('/compact', '--resume', session_id)
    await run('What did we do?', '--resume', session_id)
    await settled(app)
    const sent = upstream.requests.slice(before).filter(({ kind }) => kind === 'messages')
    const events = way === 'direct' ? [] : await recordedEvents(app, `session_id = '${session_id}'`)
    return {
      bodies: sent.map(({ bytes }) => masked(bytes.toString(), home)),
      betas: sent.map(({ headers }) => String(headers['anthropic-beta']).split(',').toSorted().join(' ')),
      events: events.map(({ kind, turn_id, agent_id, success, payload }) => [
        kind,
        turn_id,
        agent_id !== null,
        success,
        payload['tool_name'] ?? payload['request_kind'] ?? null,
        masked(JSON.stringify(payload['text'] ?? payload['input'] ?? payload['output'] ?? null), home),
      ]),
      hooks: readFileSync(noted, 'utf8').split('"hook_event_name"').length - 1,
    }
  }
  const of = (way: Way): Told => told.get(way) ?? { bodies: [], betas: [], events: [], hooks: 0 }

  test('has hooks, a subagent, tool search, MCP and a compaction in it', () => {
    const all = of('direct').bodies.join('\n')
    for (const word of ['ToolSearch', 'mcp__zoo__count', 'three zebras', 'The agent saw three', 'Zebras were counted'])
      expect(all).toContain(word)
    expect(of('direct').hooks).toBe(8)
  })

  test.each(['base', 'full'] as const)('sends the same bodies %s as directly, but for ids and times', (way) => {
    expect(of(way).hooks).toBe(of('direct').hooks)
    expect(of(way).bodies).toHaveLength(of('direct').bodies.length)
    expect(of(way).bodies.map((body, at) => firstDifference(body, of('direct').bodies[at] ?? ''))).toEqual(
      of(way).bodies.map(() => null),
    )
  })

  test('sends all betas in full mode', () => {
    expect(of('full').betas).toEqual(of('direct').betas)
    for (const beta of ['cache-diagnosis-2026-04-07', 'mid-conversation-system-clear-at-2026-08-21'])
      expect(of('full').betas[0]).toContain(beta)
    for (const field of ['"diagnostics"', '"scope":"global"']) expect(of('full').bodies[0]).toContain(field)
  })

  test('is one set of events in both ways', () => {
    expect(of('full').events.length).toBeGreaterThan(20)
    expect(of('full').events).toEqual(of('base').events)
  })
})
