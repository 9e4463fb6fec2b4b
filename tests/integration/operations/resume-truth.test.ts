import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import type { LiveBatch } from '../../../src/shared/contract/live.ts'
import { ask } from '../../support/app/ask.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { lastUserText, type MessagesUpstream, startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

type Truth = OperationOutput<'sessions.resume_truth'>

let upstream: MessagesUpstream
let app: TestApp
let claude: TempFolder
const { CLAUDE_CONFIG_DIR } = process.env
beforeAll(async () => {
  claude = makeTempFolder('aspy-claude-')
  process.env['CLAUDE_CONFIG_DIR'] = claude.path
  upstream = await startMessagesUpstream(({ body }) => {
    const asked = lastUserText(body)
    return asked.startsWith('Hold')
      ? { steps: [{ text: 'I begin to hold' }, { hold: asked }, { text: ' for ever' }] }
      : { steps: [{ text: answerTo(asked) }] }
  })
  app = await startApp({ upstream: upstream.url })
  await app.recorderRuns()
})
afterAll(async () => {
  await app.close()
  await upstream.close()
  claude.remove()
  if (CLAUDE_CONFIG_DIR === undefined) delete process.env['CLAUDE_CONFIG_DIR']
  else process.env['CLAUDE_CONFIG_DIR'] = CLAUDE_CONFIG_DIR
})

const answerTo = (prompt: string) => `An answer about ${prompt.toLowerCase()}.`
const exchange = (prompt: string) => [
  { role: 'user', content: [{ type: 'text', text: prompt }] },
  { role: 'assistant', content: [{ type: 'text', text: answerTo(prompt) }] },
]

/** Asks with the client's part of the conversation, and waits until the answer is recorded. */
const say = (session: string, prompt: string, before: readonly string[]) =>
  send(session, prompt, before.flatMap(exchange))

async function send(session: string, prompt: string, history: readonly object[]): Promise<void> {
  const known = await app.count({ session_id: session, kind: 'model_response' })
  await (await ask(app.proxy, { session, prompt, history })).text()
  await until('it is recorded', async () => (await app.count({ session_id: session, kind: 'model_response' })) > known)
}

async function hook(session_id: string, hook_event_name: string, more: object): Promise<void> {
  const known = await app.count({ session_id })
  await app.call('hooks.post', { session_id, hook_event_name, cwd: '/home/user/project', ...more })
  await until('it is recorded', async () => (await app.count({ session_id })) > known)
}
const start = (session: string, source: 'startup' | 'resume') => hook(session, 'SessionStart', { source })

const truthOf = (session_id: string) => app.call<Truth>('sessions.resume_truth', { session_id })

/** Follows the live feed and collects the titles of news. */
function follow(): { readonly news: string[]; stop(): Promise<void> } {
  const abort = new AbortController()
  const news: string[] = []
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const { json } of app.running.dispatch.stream('live.subscribe', {}, { access: 'read' }, abort.signal))
      for (const { session_id, title } of (JSON.parse(decoder.decode(json)) as LiveBatch).news ?? [])
        news.push(`${session_id}: ${title}`)
  })()
  return {
    news,
    async stop() {
      abort.abort()
      await reading
    },
  }
}

test('names the messages that the request after a resume lacks, with a pack of them, and reports it once', async () => {
  const live = follow()
  await start('lossy', 'startup')
  await say('lossy', 'Paint the shed', [])
  await say('lossy', 'Oil the hinges', ['Paint the shed'])
  await start('lossy', 'resume')
  await say('lossy', 'And now?', ['Paint the shed'])
  const route = `${app.app}/api/sessions/lossy/resume-truth`
  const response = await fetch(route, { headers: { authorization: `Bearer ${app.token}` } })
  const { resumed, pack } = (await response.json()) as Truth
  expect(resumed).toMatchObject({ basis: 'hook', had: 4, carried: 2, lost_count: 2 })
  expect(resumed?.lost.map(({ role, turn_id, content }) => [role, turn_id, content])).toEqual([
    ['user', 2, 'Oil the hinges'],
    ['assistant', 2, answerTo('Oil the hinges')],
  ])
  expect(pack).toMatchObject({ included: 2, omitted: 0 })
  expect(pack?.text).toContain('[lost prompt]\n> Oil the hinges\n[lost answer]\n> An answer about oil the hinges.')
  expect(pack?.text).not.toContain('shed')
  const where = await app.call<OperationOutput<'sessions.resume'>>('sessions.resume', { session_id: 'lossy' })
  expect(where.text).toMatch(/carried 2 of 4 messages: the model does not see the other 2, quoted as lost/)
  await expect.poll(() => live.news).toEqual(['lossy: A resumed session lacks 2 messages'])
  await say('lossy', 'Go on', ['Paint the shed', 'And now?'])
  expect(live.news).toHaveLength(1)
  await live.stop()
})

test('is silent about a resume that carries all', async () => {
  await start('whole', 'startup')
  await say('whole', 'Paint the shed', [])
  await start('whole', 'resume')
  await say('whole', 'And now?', ['Paint the shed'])
  expect(await truthOf('whole')).toMatchObject({ resumed: { had: 2, carried: 2, lost_count: 0, lost: [] }, pack: null })
  await say('whole', 'And then?', ['Paint the shed', 'And now?'])
  expect((await truthOf('whole')).resumed).toMatchObject({ had: 2, lost_count: 0 })
})

test('is silent after a compaction', async () => {
  for (const session of ['compacted', 'compacted-then-resumed']) {
    await start(session, 'startup')
    await say(session, 'Paint the shed', [])
    await say(session, 'Oil the hinges', ['Paint the shed'])
    await hook(session, 'PostCompact', { trigger: 'manual', compact_summary: 'They worked on the shed.' })
    if (session === 'compacted-then-resumed') await start(session, 'resume')
    await say(session, 'This session is being continued: they worked on the shed. And now?', [])
    const { resumed, pack } = await truthOf(session)
    expect([resumed?.lost_count ?? 0, pack], session).toEqual([0, null])
  }
})

test('is silent about what a person went back from, before a resume or without one', async () => {
  await start('back', 'startup')
  await say('back', 'Paint the shed', [])
  await say('back', 'Burn it down', ['Paint the shed'])
  await say('back', 'Oil the hinges', ['Paint the shed'])
  expect(await truthOf('back')).toMatchObject({ resumed: null, pack: null })
  await start('back', 'resume')
  await say('back', 'And now?', ['Paint the shed', 'Oil the hinges'])
  expect((await truthOf('back')).resumed).toMatchObject({ basis: 'hook', had: 4, lost_count: 0 })
})

test('is silent about an answer that was cut off', async () => {
  await start('cut', 'startup')
  await say('cut', 'Paint the shed', [])
  const response = await ask(app.proxy, {
    session: 'cut',
    prompt: 'Hold the door',
    history: exchange('Paint the shed'),
  })
  await upstream.held('Hold the door')
  await response.body?.cancel()
  await until('the end is recorded', async () => (await app.count({ session_id: 'cut', kind: 'model_response' })) === 2)
  await start('cut', 'resume')
  const history = [...exchange('Paint the shed'), ...exchange('Hold the door').slice(0, 1)]
  await (await ask(app.proxy, { session: 'cut', prompt: 'And now?', history })).text()
  await until('it is recorded', async () => (await app.count({ session_id: 'cut', kind: 'model_response' })) === 3)
  expect(await app.count({ session_id: 'cut', kind: 'assistant_text' })).toBe(3)
  expect(await truthOf('cut')).toMatchObject({ resumed: { lost_count: 0 }, pack: null })
})

test('without hooks, a request with fewer messages than the one before it counts as a resume', async () => {
  await say('bare', 'Paint the shed', [])
  await say('bare', 'Oil the hinges', ['Paint the shed'])
  expect(await truthOf('bare')).toMatchObject({ resumed: null })
  await say('bare', 'And now?', [])
  expect((await truthOf('bare')).resumed).toMatchObject({ basis: 'request', had: 4, carried: 0, lost_count: 4 })
})

const READ = 'The shed has two doors and no window. '.repeat(20)
/** A prompt, a tool call with its result, and the answer; `result` null: without the call. */
const work = (prompt: string, call: string, result: string | null) => [
  { role: 'user', content: [{ type: 'text', text: prompt }] },
  ...(result === null
    ? []
    : [
        { role: 'assistant', content: [{ type: 'tool_use', id: call, name: 'Bash', input: { command: 'cat shed' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: result }] },
      ]),
  { role: 'assistant', content: [{ type: 'text', text: answerTo(prompt) }] },
]

test.each([
  ['the same', READ, 0],
  ['the same with a reminder', `${READ}<system-reminder>Be brief.</system-reminder>`, 0],
  ['only a note', '[Old tool result content cleared]', 1],
  ['nothing', null, 1],
])('tool results: the request after a resume has %s', async (name, result, lost) => {
  const session = `tools, ${name}`
  const call = `toolu_${name.replaceAll(' ', '_')}`
  await start(session, 'startup')
  await say(session, 'Look at the shed', [])
  await send(session, 'Oil the hinges', work('Look at the shed', call, READ))
  await start(session, 'resume')
  await send(session, 'And now?', [...work('Look at the shed', call, result), ...exchange('Oil the hinges')])
  const { resumed, pack } = await truthOf(session)
  expect(resumed).toMatchObject({ basis: 'hook', from_session_id: null, lost_count: 0, lost_results: lost })
  expect(resumed?.lost.map(({ role, content }) => [role, content.slice(0, 20)])).toEqual(
    Array.from({ length: lost }, () => ['tool', READ.slice(0, 20)]),
  )
  expect(pack?.text ?? '').toMatch(lost === 0 ? /^$/ : /\[lost result of [^\]]+\]\n> The shed has two doors/)
})

/** A line of a transcript, which another session may repeat. */
const line = (sessionId: string, version: string, text: string, timestamp: string) =>
  `${JSON.stringify({
    type: 'user',
    uuid: 'e1000000-0000-4000-8000-000000000009',
    parentUuid: null,
    isSidechain: false,
    sessionId,
    cwd: '/home/user/project',
    version,
    timestamp,
    message: { role: 'user', content: text },
  })}\n`

test('a session resumed or forked under a new ID is compared with the one that it continues', async () => {
  const [original, resumed, fork, poorFork] = ['a1', 'b1', 'c1', 'd1'].map(
    (start) => `${start}000000-0000-4000-8000-000000000001`,
  ) as [string, string, string, string]
  await say(original, 'Paint the shed', [])
  const painted = new Date().toISOString()
  await say(original, 'Oil the hinges', ['Paint the shed'])
  const folder = join(claude.path, 'projects', 'p')
  mkdirSync(folder, { recursive: true })
  const write = (session: string, version: string) => {
    const path = join(folder, `${session}.jsonl`)
    writeFileSync(path, line(session, version, 'Paint the shed', painted))
    // The session whose file is read first owns the line: the newest file.
    const written = Date.now() / 1000 - (session === original ? 0 : 60)
    utimesSync(path, written, written)
  }
  write(original, '2.1.12')
  write(resumed, '1.0.60')
  write(fork, '2.1.12')
  write(poorFork, '2.1.12')
  await app.call('transcripts.start')
  await until('the import is done', async () => (await app.call('transcripts.status'))['state'] === 'done')

  await say(resumed, 'And now?', ['Paint the shed'])
  const truth = await truthOf(resumed)
  expect(truth.resumed).toMatchObject({ basis: 'link', from_session_id: original, had: 4, carried: 2, lost_count: 2 })
  expect(truth.resumed?.lost.map(({ content }) => content)).toEqual(['Oil the hinges', answerTo('Oil the hinges')])
  expect(truth.pack?.text).toContain('Session a1000000 · project · turn 2')
  const where = await app.call<OperationOutput<'sessions.resume'>>('sessions.resume', { session_id: resumed })
  expect(where.text).toMatch(new RegExp(`from session ${original} carried 2 of 4 messages`))

  await say(fork, 'And now?', ['Paint the shed'])
  expect(await truthOf(fork)).toMatchObject({
    resumed: { basis: 'link', from_session_id: original, had: 2, carried: 2, lost_count: 0, lost: [] },
    pack: null,
  })
  // It owes the prompt that its transcript repeats, and nothing that the original said later.
  await say(poorFork, 'And now?', [])
  const poor = (await truthOf(poorFork)).resumed
  expect(poor).toMatchObject({ basis: 'link', from_session_id: original, carried: 0 })
  expect(poor?.lost[0]?.content).toBe('Paint the shed')
  expect(poor?.lost.map(({ content }) => content)).not.toContain('Oil the hinges')
})
