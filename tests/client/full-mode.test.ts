import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAspy } from '../support/app/aspy-command.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { findClaude, type ClaudeResult } from '../support/client/claude-client.ts'
import { heavily } from '../support/runner/heavy.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { secretsIn } from '../support/store/byte-scan.ts'
import { ownAddress } from '../support/tunnel/tunnel-under-test.ts'
import { leaseTunnel } from '../support/tunnel/leased-tunnel.ts'
import { startTlsRegistry } from '../support/tunnel/tls-registry.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { lacks } from '../support/runner/lacks.ts'

const PROMPT = 'Run echo hello'

/** A client that sends exactly what it would send to Anthropic's own address. */
const QUIET = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', DISABLE_TELEMETRY: '1' }

// That it sends the same as directly, and is recorded as through a base URL: `same-story.test.ts`.
describe.skipIf(lacks(findClaude() !== null))('the real client in full mode', () => {
  let upstream: MessagesUpstream
  let app: TestApp
  let childRequests: IncomingMessage[]
  const web = createServer((request, response) => {
    childRequests.push(request)
    response.end('from the private network')
  })
  let command = 'echo hello'

  beforeAll(async () => {
    upstream = await startMessagesUpstream(({ body }) =>
      JSON.stringify(body?.messages.at(-1)).includes('tool_result')
        ? { steps: [{ thinking: 'It greets.' }, { text: 'It said hello.' }] }
        : { steps: [{ tool: 'Bash', input: { command, description: 'Say hello' } }] },
    )
    app = await startApp({ upstream: upstream.url })
    childRequests = []
    web.listen(0, ownAddress ?? '127.0.0.1')
    await once(web, 'listening')
  })
  afterAll(async () => {
    web.close()
    await app.close()
    await upstream.close()
  })

  const environment = () => ({
    PATH: `${dirname(findClaude() ?? '')}:${process.env['PATH'] ?? ''}`,
    ANTHROPIC_API_KEY: 'sk-ant-dummy',
    ...QUIET,
  })
  const WORDS = ['-p', PROMPT, '--output-format', 'json', '--thinking-display', 'summarized']

  /** Runs the client; its session and what it said. */
  async function run(allowed: string, onEnd: (home: string, session: string) => Promise<void> = async () => undefined) {
    using home = makeTempFolder('aspy-full-')
    const words = [...WORDS, '--allowedTools', allowed]
    const { code, stdout, stderr } = await startAspy(
      ['run', '--data', app.data, '--full', '--', 'claude', ...words],
      environment(),
      home.path,
    ).finished
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^aspy: recorded 1 prompt so far, [^\n]*\n$/)])
    const { session_id, result } = JSON.parse(stdout) as ClaudeResult
    await onEnd(home.path, session_id)
    return { session_id, result }
  }

  test('its transcript adds nothing to what was recorded', async () => {
    command = 'echo hello'
    const facts = ['user_prompt', 'model_response', 'thinking', 'tool_call', 'tool_result', 'api_usage']
    const recorded = async (session_id: string) => {
      await until(
        'the session is recorded',
        async () => (await app.count({ kind: 'model_response', session_id })) === 2,
      )
      const { items } = await app.call<{ items: { kind: string }[] }>('events.list', { session_id, limit: 200 })
      return items
        .map(({ kind }) => kind)
        .filter((kind) => facts.includes(kind))
        .toSorted()
    }
    let wire: string[] = []
    let withTranscript: string[] = []
    const { result } = await run('Bash(echo:*)', async (home, session) => {
      wire = await recorded(session)
      await app.run('transcripts.import', { paths: [join(home, '.claude', 'projects')] })
      withTranscript = await recorded(session)
    })
    expect(result).toBe('It said hello.')
    expect(new Set(wire)).toEqual(new Set(facts))
    expect(withTranscript).toEqual(wire)
  })

  test.skipIf(lacks(ownAddress !== null))(
    'lets its children through: curl, git and npm as blind tunnels, loopback past it',
    async () => {
      const target = `${ownAddress ?? ''}:${(web.address() as AddressInfo).port}`
      await using registry = await startTlsRegistry(ownAddress ?? '', 'aspy-child', '7.1.9')
      const npm = `npm view aspy-child version --registry ${registry.url} --strict-ssl=false --cache "$HOME/npm"`
      // A tunnel for plain HTTP, so that no certificate is needed; the variable holds for https addresses only.
      command = `curl -sS --proxytunnel -x "$HTTPS_PROXY" http://${target}/child; echo; curl -sS -o /dev/null -w "%{http_connect}" --proxytunnel --noproxy "" -x "$HTTPS_PROXY" http://127.0.0.1:1/; git -c http.proxy="$HTTPS_PROXY" ls-remote https://${target}/x.git; ${npm}; ${npm.replace(ownAddress ?? '', '169.254.169.254')} --fetch-retries=0; env`
      const opened = (await app.running.health()).tunnels.opened
      const { session_id } = await run('Bash')
      expect(childRequests.map(({ url }) => url)).toContain('/child')
      const said = JSON.stringify(upstream.requests.findLast(({ kind }) => kind === 'messages')?.body?.messages.at(-1))
      expect(said).toContain('from the private network')
      expect(said).toContain('403')
      expect(said).toContain('7.1.9')
      expect(registry.asked).toContain('/aspy-child')
      expect((await app.running.health()).tunnels.opened).toBeGreaterThan(opened + 3)
      await until('it is recorded', async () => (await app.count({ kind: 'tool_result', session_id })) > 0)
      // `env` printed the key, which is in nothing that is stored.
      const key = /aspy-tunnel-[\w-]{43}/.exec(said)?.[0] ?? 'no key'
      expect(key).not.toBe('no key')
      await until('it is whole', async () => (await app.count({ kind: 'model_response', session_id })) === 2)
      expect(secretsIn(app.data, [key])).toEqual([])
      expect(readFileSync(join(app.data, 'ca.pem'), 'utf8')).toContain('BEGIN CERTIFICATE')
    },
  )

  heavily(test)('without our authority it fails with a clear error, and Health says what to do', async () => {
    using home = makeTempFolder('aspy-untrusted-')
    const tunnel = await leaseTunnel(app)
    const { NODE_EXTRA_CA_CERTS: _, ...untrusting } = tunnel.env
    const before = upstream.requests.length
    const child = spawn(findClaude() ?? '', WORDS, {
      // The client's own retries are not under test.
      env: { HOME: home.path, ...environment(), ...untrusting, CLAUDE_CODE_MAX_RETRIES: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    tunnel[Symbol.dispose]()
    expect([code, said]).toEqual([1, expect.stringMatching(/certificate/i)])
    expect(upstream.requests.length).toBe(before)
    const codes = async () => (await app.running.health()).warnings.map((warning) => warning.code)
    await until('Health warns', async () => (await codes()).includes('tunnel_untrusted'))
  })

  test('keeps no key and no file of a run that has ended', async () => {
    expect(readdirSync(join(app.data, 'runs'))).toEqual([])
    await until('nothing is open', async () => (await app.running.health()).tunnels.open === 0)
  })
})
