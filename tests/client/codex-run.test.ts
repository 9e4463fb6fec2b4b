import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAspy } from '../support/app/aspy-command.ts'
import { startApp } from '../support/app/start-app.ts'
import { findCodex } from '../support/client/codex-client.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { message, startResponsesUpstream, type ResponsesUpstream } from '../support/upstream/responses-upstream.ts'
import { lacks } from '../support/runner/lacks.ts'

describe.skipIf(lacks(findCodex() !== null))('aspy run -- codex', () => {
  let upstream: ResponsesUpstream
  beforeAll(async () => {
    upstream = await startResponsesUpstream(() => ({ output: [message('Take solarized.')] }), { websocket: 'plain' })
  })
  afterAll(() => upstream.close())

  const codexHome = (home: string, config = '') => {
    const folder = join(home, '.codex')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'auth.json'), JSON.stringify({ auth_mode: 'apikey', OPENAI_API_KEY: 'sk-proj-dummy' }))
    writeFileSync(join(folder, 'config.toml'), config)
  }
  const EXEC = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
  const run = (home: string, flags: readonly string[], ...args: readonly string[]) =>
    startAspy(
      ['run', '--data', join(home, 'data'), ...flags, '--', 'codex', ...EXEC, '--model', 'gpt-6-sol', ...args],
      // The client is found as a person's is: by its name.
      { PATH: `${dirname(findCodex() ?? '')}:${process.env['PATH'] ?? ''}`, CODEX_HOME: join(home, '.codex') },
      home,
    ).finished
  const sessions = async (app: Awaited<ReturnType<typeof startApp>>) =>
    (await app.call<{ items: { client: string; title: string }[] }>('sessions.list')).items

  test("attaches to the running app and passes through the client's output and exit code", async () => {
    using home = makeTempFolder('aspy-run-codex-')
    codexHome(home.path)
    const settings = { 'proxy.upstreams': { openai: upstream.url, chatgpt: upstream.url } }
    await using app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: join(home.path, 'data'), settings })
    const { code, stdout } = await run(home.path, [], 'Which theme?')
    expect([code, stdout.trim()]).toEqual([0, 'Take solarized.'])
    // The client's first requests have no prompt.
    await until('the prompt is recorded', async () => (await sessions(app)).some(({ title }) => title !== null))
    expect(await sessions(app)).toMatchObject([{ client: 'codex', title: 'Which theme?' }])
  })

  test('a base URL of its own is the upstream of its session, and does not bypass us', async () => {
    using home = makeTempFolder('aspy-run-codex-')
    codexHome(home.path, `openai_base_url = "${upstream.url}"\n`)
    const settings = { 'proxy.upstreams': { openai: 'http://127.0.0.1:9', chatgpt: 'http://127.0.0.1:9' } }
    await using app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: join(home.path, 'data'), settings })
    expect(await run(home.path, [], 'From the file')).toMatchObject({ code: 0 })
    expect(await run(home.path, [], '-c', `openai_base_url="${upstream.url}"`, 'From an argument')).toMatchObject({
      code: 0,
    })
    await until('both sessions are recorded', async () => (await sessions(app)).length === 2)
  })

  test('in full mode a base URL is refused: it would bypass the tunnel', async () => {
    using home = makeTempFolder('aspy-run-codex-')
    codexHome(home.path, `openai_base_url = "${upstream.url}"\n`)
    await using _ = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: join(home.path, 'data') })
    expect(await run(home.path, ['--full'], 'Elsewhere')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/openai_base_url sends Codex to http:\/\/127\.0\.0\.1:\d+, past the tunnel/),
    })
  })
})
