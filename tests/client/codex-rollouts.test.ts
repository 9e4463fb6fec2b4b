import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordedEvents, settled, type RecordedEvent } from '../support/app/recorded-session.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { findCodex, runCodex } from '../support/client/codex-client.ts'
import { makeTempFolder, type TempFolder } from '../support/runner/temp-folder.ts'
import { temporaryFolder } from '../support/store/folder.ts'
import { importInto } from '../support/transcripts/import-folder.ts'
import { countRollouts, inOrder } from '../support/transcripts/independent-rollouts.ts'
import { recordedRollouts } from '../support/transcripts/recorded-rollouts.ts'
import {
  call,
  compaction,
  lastUserText,
  message,
  patch,
  reasoning,
  startResponsesUpstream,
  type ResponsesAnswer,
  type ResponsesUpstream,
  type SeenCall,
  USAGE,
} from '../support/upstream/responses-upstream.ts'
import { lacks } from '../support/runner/lacks.ts'
import { few } from '../support/runner/heavy.ts'

const NO_CODEX = lacks(findCodex() !== null)

const PATCH = '*** Begin Patch\n*** Add File: theme.txt\n+solarized\n*** End Patch\n'

const LIMITS = {
  'x-codex-primary-used-percent': '12.5',
  'x-codex-primary-window-minutes': '300',
  'x-codex-primary-reset-at': '1790000000',
}

/** The context is full after this: the client compacts before the next prompt. */
const FULL = { ...USAGE, input_tokens: 400_000, total_tokens: 400_050 }

const inTeam = (tool: ReturnType<typeof call>) => ({ ...tool, namespace: 'collaboration' })

/** Returns an upstream's script: the model's answers, by the last words of the request. */
function createScript(): (seen: SeenCall) => ResponsesAnswer {
  let failures = 0
  return ({ body }) => {
    const input = body?.input ?? []
    const last = input.at(-1) ?? {}
    if (last['type'] === 'compaction_trigger') return { output: [compaction()] }
    // The agent ends before its parent does, however slow the machine is.
    if (String(last['output']).includes('/root/look'))
      return { output: [inTeam(call('wait_agent', { timeout_ms: 60_000 }))] }
    if (last['type'] !== 'message') return { output: [message('Take solarized.')] }
    const text = lastUserText(body)
    if (text.includes('theme')) {
      const output = [reasoning('Weighing contrast.'), message('I will look.'), call('exec_command', { cmd: 'exit 3' })]
      return { output: [...output, patch(PATCH)] }
    }
    if (text.includes('agent')) {
      return { output: [inTeam(call('spawn_agent', { task_name: 'look', message: 'Look at the files.' }))] }
    }
    if (text.includes('overloaded') && failures++ === 0) {
      return { status: 500, error: { error: { type: 'server_error', message: 'overloaded' } } }
    }
    return { output: [message('Gladly.')], ...(text.includes('Fill') ? { usage: FULL } : {}) }
  }
}

const PROMPTS = [
  'Which theme suits the eyes?',
  'Fill the context.',
  'And then?',
  'Let an agent look.',
  'Be overloaded.',
]
const TRANSPORTS = ['refuse', 'plain'] as const

describe.skipIf(NO_CODEX).each(few(TRANSPORTS, 1))('rollouts of the real Codex, WebSockets: %s', (websocket) => {
  let upstream: ResponsesUpstream
  let app: TestApp
  let home: TempFolder
  let before: RecordedEvent[] = []
  const of = (kind: string) => before.filter((event) => event.kind === kind)

  beforeAll(async () => {
    const script = createScript()
    upstream = await startResponsesUpstream((seen) => ({ headers: LIMITS, ...script(seen) }), { websocket })
    const upstreams = { openai: upstream.url, chatgpt: 'http://127.0.0.1:9' }
    app = await startApp({ upstream: 'http://127.0.0.1:9', settings: { 'proxy.upstreams': upstreams } })
    home = makeTempFolder('aspy-codex-rollouts-')
    let thread: string | undefined
    for (const prompt of PROMPTS) {
      const run = { baseUrl: `${app.proxy}/openai/v1`, home: home.path, prompt }
      const { lines } = await runCodex(thread === undefined ? run : { ...run, resume: thread })
      thread ??= String(lines.find(({ type }) => type === 'thread.started')?.['thread_id'])
    }
    await settled(app)
    before = await recordedEvents(app)
  })
  afterAll(async () => {
    await app?.close()
    await upstream?.close()
    home?.remove()
  })

  test('files of before 0.150, which name no response, count no usage twice', async () => {
    const older = makeTempFolder('aspy-codex-older-')
    cpSync(join(home.path, '.codex', 'sessions'), join(older.path, '.codex', 'sessions'), { recursive: true })
    for (const name of readdirSync(older.path, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.jsonl')) continue
      const path = join(older.path, name)
      const lines = readFileSync(path, 'utf8').split('\n')
      writeFileSync(path, lines.filter((line) => !line.includes('"type":"token_usage_record"')).join('\n'))
    }
    const usages = () => recordedEvents(app).then((all) => all.filter(({ kind }) => kind === 'api_usage').length)
    const known = await usages()
    await app.run('transcripts.import', { paths: [older.path] })
    older.remove()
    expect(known).toBeGreaterThan(5)
    expect(await usages()).toBe(known)
  })

  test('importing the rollouts of a recorded run adds no event', async () => {
    const known = new Set((await recordedEvents(app)).map(({ uuid }) => uuid))
    const done = (
      await app.run<{ sightings_added: number; files: number }>('transcripts.import', { paths: [home.path] })
    ).at(-1)
    expect(done?.files).toBe(2)
    expect(done?.sightings_added).toBeGreaterThan(20)
    const after = await recordedEvents(app)
    expect(after.filter(({ uuid }) => !known.has(uuid)).map(({ kind, payload }) => [kind, payload])).toEqual([])
    expect(['compaction', 'agent_started', 'agent_ended'].map((kind) => of(kind).length)).toEqual([1, 1, 1])
    // The scripted upstream sends limits in headers alone, and messages on a WebSocket have none.
    expect(of('rate_limit').length > 5).toBe(websocket === 'refuse')
  })

  test('the rollouts alone say the same as the traffic', async () => {
    const [counted] = countRollouts(join(home.path, '.codex'))
    expect(counted?.prompts).toEqual(PROMPTS)
    const imported = recordedRollouts(await importInto(temporaryFolder(), [home.path]))
    expect(inOrder(imported)).toEqual(inOrder(counted === undefined ? [] : [counted]))
    const texts = (kind: string) => of(kind).map(({ payload }) => payload['text'])
    expect(counted?.prompts).toEqual(texts('user_prompt'))
    expect(counted?.answers.toSorted()).toEqual(texts('assistant_text').toSorted())
    const responses = of('api_usage').filter(({ payload }) => payload['request_kind'] !== 'warmup')
    expect([...(counted?.responses.keys() ?? [])].toSorted()).toEqual(
      responses.map(({ payload }) => String(payload['message_id'])).toSorted(),
    )
  })
})
