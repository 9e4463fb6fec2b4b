import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aspy, startAspy } from '../support/app/aspy-command.ts'
import { findClaude, type ClaudeResult } from '../support/client/claude-client.ts'
import { endKeeper } from '../support/keeper/end-keeper.ts'
import { few } from '../support/runner/heavy.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { startApp } from '../support/app/start-app.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { lacks } from '../support/runner/lacks.ts'

const ONE_PROMPT = expect.stringMatching(
  /^aspy: recorded 1 prompt so far, \$\d\.\d+; see \S+ session [0-9a-f]{8} --data \S+; resume with \S+ run (?:--full )?--data \S+ -- claude --resume [0-9a-f-]{36}\n$/,
)
const RESUMED = /^aspy: recorded 1 prompt so far, \$\d\.\d+ of \$\d\.\d+ in all; see /

// The first command in the README, with the real client.
describe.skipIf(lacks(findClaude() !== null))('aspy run -- claude', () => {
  let upstream: MessagesUpstream
  beforeAll(async () => {
    upstream = await startMessagesUpstream((request) =>
      request.body?.messages.some(({ content }) => JSON.stringify(content).includes('Refuse'))
        ? {
            status: 401,
            error: { type: 'authentication_error', message: 'invalid x-api-key' },
            headers: { 'x-should-retry': 'false' },
          }
        : { steps: [{ thinking: 'Solarized, for the eyes.' }, { text: 'Take solarized.' }] },
    )
  })
  afterAll(() => upstream.close())

  const surroundings = () => ({
    // The client is found as a person's is: by its name.
    PATH: `${dirname(findClaude() ?? '')}:${process.env['PATH'] ?? ''}`,
    ANTHROPIC_API_KEY: 'sk-ant-dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
  })
  const run = (home: string, flags: readonly string[], prompt: string, words: readonly string[] = [], cwd?: string) =>
    startAspy(
      [
        'run',
        '--data',
        join(home, 'data'),
        ...flags,
        '--',
        'claude',
        '-p',
        prompt,
        ...words,
        '--output-format',
        'json',
      ],
      surroundings(),
      home,
      cwd,
    ).finished

  test("attaches to the running app and passes through the client's output and exit code", async () => {
    using home = makeTempFolder('aspy-run-')
    await using app = await startApp({ upstream: upstream.url, dataDir: join(home.path, 'data') })
    const { code, stdout, stderr } = await run(home.path, ['--thinking'], 'Which theme?')
    expect([code, stderr]).toEqual([0, ONE_PROMPT])
    expect(JSON.parse(stdout)).toMatchObject({ is_error: false, result: 'Take solarized.' })
    const asked = upstream.requests.findLast(({ kind }) => kind === 'messages')
    expect(asked?.body?.['thinking']).toMatchObject({ display: 'summarized' })
    const { session_id } = JSON.parse(stdout) as ClaudeResult
    await until('the session is recorded, thinking and all', async () => {
      const kept = await app.call<{ thinking_blocks: number }>('sessions.kept', { session_id })
      return kept.thinking_blocks === 1
    })

    const refused = await run(home.path, [], 'Refuse this')
    expect(refused.code).not.toBe(0)
    expect(JSON.parse(refused.stdout)).toMatchObject({ is_error: true })
    expect(upstream.requests.findLast(({ kind }) => kind === 'messages')?.body?.['thinking']).not.toMatchObject({
      display: 'summarized',
    })
  })

  const ways: readonly [string, readonly string[]][] = [
    ['through a base URL', []],
    ['in full mode', ['--full']],
  ]
  test.each(few(ways, 1))(
    '%s, a run names what went through it alone, beside another in its folder, and its own cost',
    async (_, flags) => {
      using home = makeTempFolder('aspy-run-')
      await using app = await startApp({ upstream: upstream.url, dataDir: join(home.path, 'data') })
      const [one, other] = await Promise.all([
        run(home.path, flags, 'Which theme?'),
        run(home.path, flags, 'And which font?'),
      ])
      expect([one.stderr, other.stderr]).toEqual([ONE_PROMPT, ONE_PROMPT])
      const { session_id } = JSON.parse(one.stdout) as ClaudeResult
      expect(one.stderr).toContain(`--resume ${session_id}`)
      expect(other.stderr).not.toContain(session_id)

      const again = await run(home.path, flags, 'And now?', ['--resume', session_id])
      expect(again.stderr).toMatch(RESUMED)
      await app.call('config.set', { key: 'guard.request_usd', value: 0.000001 })
      await app.call('config.set', { key: 'guard.action', value: 'refuse' })
      const refused = await run(home.path, flags, 'And refused?')
      expect(refused.stderr).toMatch(/^aspy: recorded 1 prompt so far, \$0, \d+ requests? refused by a cap; see /)
      const { session_id: stopped } = JSON.parse(refused.stdout) as ClaudeResult
      const shown = await aspy(['session', stopped, '--data', join(home.path, 'data')])
      expect(shown.stdout).toMatch(/1 prompt · \$0 · /)
      expect(shown.stdout).toMatch(/\d+ requests? refused by the cap per request/)

      const status = await aspy(['status', '--data', join(home.path, 'data')])
      expect(status.stdout).toMatch(/\nCaps +refuse: request_usd = 0\.000001\nHeld now +0\nRefused +[1-9]\d* today\n/)
      const guard = await aspy(['guard', '--data', join(home.path, 'data')])
      expect(guard.stdout).toMatch(/\nSince 20\S+ \S+: Checked \d+ requests?: .*\nRefused today: [1-9]\d*\n/)
    },
  )

  test('a run names a session that it resumes, whichever folder it was recorded in', async () => {
    using home = makeTempFolder('aspy-run-')
    await using _ = await startApp({ upstream: upstream.url, dataDir: join(home.path, 'data') })
    const [there, here] = ['there', 'here'].map((name) => join(home.path, name))
    for (const folder of [there ?? '', here ?? '']) mkdirSync(folder)
    const first = await run(home.path, [], 'Which theme?', [], there)
    const { session_id } = JSON.parse(first.stdout) as ClaudeResult
    const transcripts = join(home.path, '.claude', 'projects')
    const [recorded] = readdirSync(transcripts)
    const transcript = join(transcripts, recorded ?? '', `${session_id}.jsonl`)
    const again = await run(home.path, [], 'And now?', ['--resume', transcript], here)
    expect(again.code).toBe(0)
    const { session_id: resumed } = JSON.parse(again.stdout) as ClaudeResult
    expect([session_id, again.stderr]).toEqual([resumed, expect.stringMatching(RESUMED)])
    expect(again.stderr).toContain(`--resume ${session_id}`)
  })

  test("a base URL in the client's settings is the upstream of its session, and does not bypass us", async () => {
    using home = makeTempFolder('aspy-run-')
    mkdirSync(join(home.path, '.claude'))
    const settings = { env: { ANTHROPIC_BASE_URL: upstream.url } }
    writeFileSync(join(home.path, '.claude', 'settings.json'), JSON.stringify(settings))
    // Other sessions go elsewhere.
    await using app = await startApp({ upstream: 'http://127.0.0.1:1', dataDir: join(home.path, 'data') })
    const { code, stdout, stderr } = await run(home.path, [], 'Which theme?')
    expect([code, stderr]).toEqual([0, ONE_PROMPT])
    const { session_id } = JSON.parse(stdout) as ClaudeResult
    await until('the session is recorded', async () => {
      const kept = await app.call<{ answers: number }>('sessions.kept', { session_id })
      return kept.answers === 1
    })
  })

  test('starts an app that outlives the client and is found by the next run', async () => {
    using home = makeTempFolder('aspy-run-')
    const flags = ['--port', '0', '--proxy-port', '0', '--upstream', upstream.url]
    const first = await run(home.path, flags, 'Which theme?')
    expect([first.code, first.stderr]).toEqual([0, ONE_PROMPT])
    const note = join(home.path, 'data', 'app.json')
    const { pid } = JSON.parse(readFileSync(note, 'utf8')) as { pid: number }
    try {
      const second = await run(home.path, [], 'And which font?')
      expect([second.code, second.stderr]).toEqual([0, ONE_PROMPT])
      expect(JSON.parse(readFileSync(note, 'utf8'))).toMatchObject({ pid })
      const stats = await aspy(['stats', '--json', '--data', join(home.path, 'data')])
      expect(JSON.parse(stats.stdout)).toMatchObject({ total_sessions: 2, total_prompts: 2 })
    } finally {
      await endKeeper(join(home.path, 'data'))
    }
    await expect.poll(() => existsSync(note)).toBe(false)
  })
})
