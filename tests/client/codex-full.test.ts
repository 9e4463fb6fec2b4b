import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAspy } from '../support/app/aspy-command.ts'
import { recordedEvents, settled, type RecordedEvent } from '../support/app/recorded-session.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { chatgptLogin } from '../support/client/chatgpt-login.ts'
import { findCodex } from '../support/client/codex-client.ts'
import { few, isHeavy } from '../support/runner/heavy.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { secretsIn } from '../support/store/byte-scan.ts'
import {
  call,
  message,
  patch,
  reasoning,
  startResponsesUpstream,
  type ResponsesUpstream,
  type ResponsesUpstreamOptions,
  type SeenCall,
} from '../support/upstream/responses-upstream.ts'
import { lacks } from '../support/runner/lacks.ts'

const PROMPT = 'Which theme suits the eyes?'
const PATCH = '*** Begin Patch\n*** Add File: theme.txt\n+solarized\n*** End Patch\n'
const EXEC = ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']

/** Values that differ between runs: ids, times, folders, and sizes of texts with them. */
const masked = (value: unknown, home: string): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(home, '<home>')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
      .replaceAll(/\b(msg|rs|fc|ctc|call|resp|req)_[0-9a-z]{8,}/g, '<id>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replaceAll(/"create_time":[\d.]+/g, '"create_time":0')
      .replaceAll(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]+ GMT/g, '<time>')
      .replaceAll(/"content-length","\d+"/g, '"content-length","0"')
      // In the stored shape of a request.
      .replaceAll(/"content":"[0-9a-f]{32}"/g, '"content":"<hash>"')
      .replaceAll(/\b1\d{12}\b/g, '0')
      .replaceAll(/Wall time: [\d.]+|Chunk ID: \w+/g, '<run>')
      .replaceAll(
        /"(encrypted_content|hash|bytes|tokens|ttft_ms|duration_ms|turn_started_at_unix_ms|body_bytes|response_bytes|request_id)":[^,}]+/g,
        '"$1":0',
      ),
  ) as unknown

const LOGINS = [
  ['an API key', { auth_mode: 'apikey', OPENAI_API_KEY: 'sk-proj-dummy' }],
  ['ChatGPT', chatgptLogin()],
] as const
const TRANSPORTS: readonly ResponsesUpstreamOptions['websocket'][] = ['refuse', 'permessage-deflate']

/** All pairs in heavy runs, otherwise each login over one transport. */
const PAIRS = LOGINS.flatMap(([login, auth], at) =>
  TRANSPORTS.filter((_, other) => isHeavy || at === other).map((websocket) => ({ login, auth, websocket })),
)

describe.skipIf(lacks(findCodex() !== null)).each(few(PAIRS, 1))(
  'the real Codex in full mode with $login, WebSockets: $websocket',
  ({ auth, websocket = 'refuse' }) => {
    let upstream: ResponsesUpstream
    let app: TestApp
    let command = 'echo solarized'

    beforeAll(async () => {
      upstream = await startResponsesUpstream(
        ({ body }: SeenCall) => {
          if (String(body?.input?.at(-1)?.['type']).endsWith('_output')) return { output: [message('Take solarized.')] }
          const said = reasoning('Weighing contrast.', 'Then warmth.')
          return { output: [said, call('exec_command', { cmd: command }), patch(PATCH)] }
        },
        { websocket },
      )
      const settings = { 'proxy.upstreams': { openai: upstream.url, chatgpt: upstream.url } }
      app = await startApp({ upstream: 'http://127.0.0.1:9', settings })
    })
    afterAll(async () => {
      await app?.close()
      await upstream?.close()
    })

    /** Runs the client; what the API got of it, and what was recorded. */
    async function run(flags: readonly string[]) {
      using home = makeTempFolder('aspy-codex-full-')
      const folder = join(home.path, '.codex')
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'auth.json'), JSON.stringify(auth))
      const before = upstream.calls.length
      const words = ['run', '--data', app.data, ...flags, '--', 'codex', ...EXEC, '--model', 'gpt-5.6-sol', PROMPT]
      const env = { PATH: `${dirname(findCodex() ?? '')}:${process.env['PATH'] ?? ''}`, CODEX_HOME: folder }
      const { code, stdout, stderr } = await startAspy(words, env, home.path, home.path).finished
      expect(code, `${stdout}${stderr}`).toBe(0)
      const thread = /"thread_id":"([^"]+)"/.exec(stdout)?.[1] ?? ''
      await settled(app)
      await until(
        'it is recorded',
        async () => (await app.count({ kind: 'turn_ended', session_id: `codex-${thread}` })) > 0,
      )
      const events = await recordedEvents(app, `session_id = 'codex-${thread}'`)
      return { calls: upstream.calls.slice(before), events, home: home.path, stdout }
    }

    test('sends what it sends through a base URL, and is recorded the same', async () => {
      const base = await run([])
      const full = await run(['--full'])
      const sent = ({ calls, home }: typeof base) =>
        calls.map(({ transport, path, body }) => [transport, path, masked(body, home)])
      expect(sent(full)).toEqual(sent(base))
      expect(full.calls.some(({ transport }) => transport === (websocket === 'refuse' ? 'http' : 'websocket'))).toBe(
        true,
      )
      const recorded = ({ events, home }: typeof base) =>
        events.map(({ kind, source, turn_id, success, payload }: RecordedEvent) => {
          // The bodies are compared above.
          const { request, ...rest } = payload
          return [kind, source, turn_id, success, typeof request, masked(rest, home)]
        })
      const facts = recorded(full)
      expect(facts.map(([kind]) => kind)).toEqual(
        expect.arrayContaining(['user_prompt', 'thinking', 'tool_call', 'api_usage']),
      )
      expect(facts).toEqual(recorded(base))
    })

    test('stores the key of its run nowhere, also if a child prints it', async () => {
      command = 'env'
      const { calls } = await run(['--full'])
      const key = /aspy-tunnel-[\w-]{43}/.exec(JSON.stringify(calls.map(({ body }) => body?.input)))?.[0] ?? 'no key'
      expect(key).not.toBe('no key')
      expect(secretsIn(app.data, [key])).toEqual([])
    })
  },
)
