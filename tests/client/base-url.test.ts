import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAspy } from '../support/app/aspy-command.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { findClaude, runClaude } from '../support/client/claude-client.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { startUnknowingApi, type Terminator } from '../support/tunnel/tls-terminator.ts'
import { startMessagesUpstream, type MessagesUpstream, type Script } from '../support/upstream/messages-upstream.ts'
import { lacks } from '../support/runner/lacks.ts'

const ASSUME = '_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL'
/** Requests that Claude Code 2.1.330 sends only to Anthropic's own address. */
const FIRST_PARTY_BETAS = [
  'cache-diagnosis-2026-04-07',
  'prompt-caching-scope-2026-01-05',
  'thinking-binding-controls-2026-08-01',
]

// The same story each time: a prompt, a command, an answer.
describe.skipIf(lacks(findClaude() !== null))('the real client through a base URL', () => {
  let upstream: MessagesUpstream
  /** Asked without Aspy, at the same time. */
  let own: MessagesUpstream
  /** With the variable, the client also asks api.anthropic.com for policies and settings, past the base URL. */
  let unknowing: Terminator
  let app: TestApp
  beforeAll(async () => {
    const story: Script = ({ body }) =>
      JSON.stringify(body?.messages.at(-1)).includes('tool_result')
        ? { steps: [{ text: 'It said hello.' }] }
        : { steps: [{ tool: 'Bash', input: { command: 'echo hello', description: 'Say hello' } }] }
    upstream = await startMessagesUpstream(story)
    own = await startMessagesUpstream(story)
    unknowing = await startUnknowingApi()
    app = await startApp({ upstream: upstream.url })
  })
  afterAll(async () => {
    await app.close()
    await upstream.close()
    await own.close()
    await unknowing[Symbol.asyncDispose]()
  })

  const PROMPT = 'Run echo hello'
  const sinceOf = (before: number, { requests } = upstream) =>
    requests
      .slice(before)
      .filter(({ kind }) => kind === 'messages')
      .map(({ path, headers, body }) => ({
        path,
        betas: String(headers['anthropic-beta']).split(','),
        hasDiagnostics: body?.['diagnostics'] !== undefined,
        isGlobal: JSON.stringify(body?.['system']).includes('"scope":"global"'),
      }))
  async function direct(env: Record<string, string>) {
    using home = makeTempFolder('aspy-direct-')
    const before = own.requests.length
    const { exitCode, stderr } = await runClaude({
      baseUrl: own.url,
      prompt: PROMPT,
      home: home.path,
      env: { ...unknowing.env, ...env },
    })
    expect([exitCode, stderr]).toEqual([0, ''])
    return sinceOf(before, own)
  }
  async function throughAspy(flags: readonly string[]) {
    using home = makeTempFolder('aspy-through-')
    const before = upstream.requests.length
    const words = ['claude', '-p', PROMPT, '--output-format', 'json', '--thinking-display', 'summarized']
    const { code, stderr } = await startAspy(
      ['run', '--data', app.data, ...flags, '--', ...words, '--allowedTools', 'Bash(echo:*)'],
      {
        PATH: `${dirname(findClaude() ?? '')}:${process.env['PATH'] ?? ''}`,
        ANTHROPIC_API_KEY: 'sk-ant-dummy',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        DISABLE_TELEMETRY: '1',
        ...unknowing.env,
      },
      home.path,
    ).finished
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^aspy: recorded 1 prompt so far, [^\n]*\n$/)])
    return sinceOf(before)
  }

  test('with --assume, it sends the betas, cache scope and diagnostics that it sends without Aspy', async () => {
    const [alone, recorded] = await Promise.all([direct({ [ASSUME]: '1' }), throughAspy(['--assume'])])
    expect(recorded).toEqual(alone)
    expect(recorded.length).toBeGreaterThanOrEqual(2)
    for (const { path, betas, hasDiagnostics, isGlobal } of recorded) {
      expect(path).toBe('/v1/messages?beta=true')
      expect(betas).toEqual(expect.arrayContaining(FIRST_PARTY_BETAS))
      expect([hasDiagnostics, isGlobal]).toEqual([true, true])
    }
  })

  test('without the variable it leaves them out, which is why run sets it for api.anthropic.com', async () => {
    const recorded = await throughAspy([])
    expect(recorded).toEqual(await direct({}))
    for (const { betas, hasDiagnostics, isGlobal } of recorded) {
      expect(betas.filter((beta) => FIRST_PARTY_BETAS.includes(beta))).toEqual([])
      expect([hasDiagnostics, isGlobal]).toEqual([false, false])
    }
  })

  test('its sessions count as senders that showed the path secret, which no request or record contains', async () => {
    await until(
      'both are recorded',
      async () => (await app.call<{ items: object[] }>('sessions.list')).items.length >= 2,
    )
    expect(await app.call('sessions.unproven')).toEqual({ count: 0 })
    const secret = readFileSync(join(app.data, 'path-secret'), 'utf8').trim()
    expect(JSON.stringify(upstream.requests.map(({ path, headers }) => [path, headers]))).not.toContain(secret)
    expect(JSON.stringify(await app.call('events.export', { limit: 1000 }))).not.toContain(secret)
  })
})
