import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedEvents, settled } from '../support/app/recorded-session.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { CHATGPT_ACCOUNT, chatgptLogin } from '../support/client/chatgpt-login.ts'
import { findCodex, runCodex, type CodexOptions } from '../support/client/codex-client.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import {
  lastUserText,
  message,
  startResponsesUpstream,
  type ResponsesUpstream,
} from '../support/upstream/responses-upstream.ts'
import { lacks } from '../support/runner/lacks.ts'
import { few } from '../support/runner/heavy.ts'

const ANSWERS: Readonly<Record<string, string>> = {
  'Which theme?': 'Solarized.',
  'Why that one?': 'It is easy on the eyes.',
  'And for print?': 'Plain black.',
}

const TRANSPORTS = ['refuse', 'permessage-deflate'] as const

describe.skipIf(lacks(findCodex() !== null)).each(few(TRANSPORTS, 1))('the real Codex, WebSockets: %s', (websocket) => {
  let openai: ResponsesUpstream
  let chatgpt: ResponsesUpstream
  let app: TestApp

  beforeAll(async () => {
    const script = ({ body }: Parameters<Parameters<typeof startResponsesUpstream>[0]>[0]) => ({
      output: [message(ANSWERS[lastUserText(body)] ?? 'Yes.')],
    })
    openai = await startResponsesUpstream(script, { websocket })
    chatgpt = await startResponsesUpstream(script, { websocket })
    const upstreams = { openai: openai.url, chatgpt: chatgpt.url.replace(/v1$/, 'backend-api/codex') }
    app = await startApp({ upstream: 'http://127.0.0.1:9', settings: { 'proxy.upstreams': upstreams } })
  })
  afterAll(async () => {
    await app?.close()
    await openai?.close()
    await chatgpt?.close()
  })

  const run = async (options: Omit<CodexOptions, 'baseUrl'>) => {
    const done = await runCodex({ baseUrl: `${app.proxy}/openai/v1`, ...options })
    await settled(app)
    return { ...done, thread: String(done.lines.find(({ type }) => type === 'thread.started')?.['thread_id']) }
  }
  const textsOf = async (thread: string) =>
    (await recordedEvents(app, `session_id = 'codex-${thread}'`))
      .filter(({ kind }) => kind === 'user_prompt' || kind === 'assistant_text')
      .map(({ payload }) => String(payload['text']))

  test('a fork is a session of its own, linked to its original, and doubles nothing', async () => {
    using home = makeTempFolder('aspy-codex-fork-')
    const original = await run({ prompt: 'Which theme?', home: home.path })
    await run({ prompt: 'Why that one?', home: home.path, resume: original.thread })
    const fork = await run({ prompt: 'And for print?', home: home.path, fork: original.thread })
    expect(fork.exitCode).toBe(0)
    expect(fork.thread).not.toBe(original.thread)
    const said = ['Which theme?', 'Solarized.', 'Why that one?', 'It is easy on the eyes.']
    expect(await textsOf(original.thread)).toEqual(said)
    expect(await textsOf(fork.thread)).toEqual(['And for print?', 'Plain black.'])

    const before = await recordedEvents(app)
    await app.run('transcripts.import', { paths: [home.path] })
    const known = new Set(before.map(({ uuid }) => uuid))
    expect((await recordedEvents(app)).filter(({ uuid }) => !known.has(uuid))).toEqual([])
    const session = await app.call<{ forked_from: string | null }>('sessions.get', {
      session_id: `codex-${fork.thread}`,
    })
    expect(session.forked_from).toBe(`codex-${original.thread}`)
  })

  test('a login of ChatGPT goes to its own host, and its account stays away from the other', async () => {
    using home = makeTempFolder('aspy-codex-login-')
    const before = openai.requests.length
    const { exitCode, thread } = await run({ prompt: 'Which theme?', home: home.path, auth: chatgptLogin() })
    expect(exitCode).toBe(0)
    expect(await textsOf(thread)).toEqual(['Which theme?', 'Solarized.'])
    expect(openai.requests.length).toBe(before)
    const calls = chatgpt.calls.filter(({ path }) => path.startsWith('/backend-api/codex/responses'))
    expect(calls.length).toBeGreaterThan(0)
    expect(calls.map(({ headers }) => headers['chatgpt-account-id'])).toEqual(calls.map(() => CHATGPT_ACCOUNT))
  })
})
