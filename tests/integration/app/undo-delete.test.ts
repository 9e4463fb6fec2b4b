import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { secretsIn } from '../../support/store/byte-scan.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

const WORD = 'quokkapromptword77'

let upstream: MessagesUpstream
beforeAll(async () => {
  upstream = await startMessagesUpstream((request) => ({
    steps: [
      { thinking: `On ${lastUserText(request.body)}` },
      { text: `Answer to ${lastUserText(request.body)}` },
      { tool: 'Bash', input: { command: `echo ${lastUserText(request.body)}` } },
    ],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
})
afterAll(() => upstream.close())

async function record(app: TestApp, session: string, prompt: string, responses: number): Promise<void> {
  await (await ask(app.proxy, { prompt, session })).text()
  await until('it is recorded', async () => (await app.count({ kind: 'model_response' })) >= responses)
}

/** Every list, sum, search and export that a surface offers, as a reader sees them now. */
async function everything(app: TestApp): Promise<Record<string, unknown>> {
  const calls: readonly (readonly [string, object])[] = [
    ['sessions.list', {}],
    ['events.list', {}],
    ['events.recent', {}],
    ['events.count', {}],
    ['events.export', {}],
    ['live.since', { after: 0 }],
    ['stats.summary', {}],
    ['stats.analytics', {}],
    ['stats.slowest', {}],
    ['costs.series', {}],
    ['costs.breakdown', { by: 'model' }],
    ['costs.breakdown', { by: 'session' }],
    ['costs.spent', { since: '2020-01-01T00:00:00.000Z' }],
    ['tools.list', {}],
    ['tools.pace', {}],
    ['recall.search', { query: WORD }],
    ['recall.search', { query: WORD, tools: true }],
    ['recall.months', { query: WORD }],
    ['prompts.search', { query: WORD }],
    ['thinking.search', { query: WORD }],
    ['responses.search', { query: WORD }],
    ['sessions.resume_latest', {}],
    ['memories.list', {}],
    ['agents.list', {}],
  ]
  const seen: Record<string, unknown> = {}
  for (const [name, input] of calls) {
    seen[`${name} ${JSON.stringify(input)}`] = await app
      .call(name, input)
      .catch((error: unknown) => `refused: ${(error as Error).message}`)
  }
  return seen
}

/** Leaves out what changes with each call: the random mark of a pack, and ranks, which fall with age. */
const stable = (seen: Record<string, unknown>): unknown =>
  JSON.parse(
    JSON.stringify(seen)
      .replaceAll(/(marked|recalled|end) [0-9a-f]{12}/g, '$1')
      .replaceAll(/"rank":[^,}]+/g, '"rank":0'),
  )

/** Waits until the session is deleted and no byte of its text is left. */
async function untilGone(app: TestApp, folder: string): Promise<void> {
  const deletions = async () => (await app.call<{ items: readonly unknown[] }>('sessions.deletions')).items
  await until('nothing is pending', async () => (await deletions()).length === 0, 60_000)
  await until('no byte is left', () => {
    try {
      return Promise.resolve(secretsIn(folder, [WORD]).length === 0)
    } catch (error) {
      // A file was removed while it was looked for.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Promise.resolve(false)
      throw error
    }
  })
}

test('a session that is deleted with a delay is hidden from every list, sum, search and export, and undone by one call', async () => {
  await using app = await startApp({ upstream: upstream.url })
  await record(app, 'stays', 'something else', 1)
  const without = stable(await everything(app))
  await record(app, 'gone', `please ${WORD}`, 2)
  const whole = stable(await everything(app))
  expect(JSON.stringify(whole)).toContain(WORD)

  const { undo_until } = await app.call<{ undo_until: string }>('sessions.delete_soon', { session_id: 'gone' })
  expect(Date.parse(undo_until)).toBeGreaterThan(Date.now())
  expect(stable(await everything(app))).toEqual(without)
  for (const name of ['sessions.get', 'sessions.timeline', 'sessions.events', 'sessions.footprint'])
    expect(JSON.stringify(await app.call(name, { session_id: 'gone' }).catch(() => null))).not.toContain(WORD)
  expect(await app.call('sessions.deletions')).toEqual({
    items: [{ session_id: 'gone', undo_until, events_deleted: 0 }],
  })

  expect(await app.call('sessions.undo_delete', { session_id: 'gone' })).toEqual({ session_id: 'gone' })
  expect(stable(await everything(app))).toEqual(whole)
  await expect(app.call('sessions.undo_delete', { session_id: 'gone' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(app.call('sessions.delete_soon', { session_id: 'never' })).rejects.toMatchObject({ code: 'not_found' })
})

test('events that arrive while it is hidden stay hidden, leave the sums alone, and come back with it', async () => {
  await using app = await startApp({ upstream: upstream.url })
  await record(app, 'stays', 'something else', 1)
  const before = await app.call('stats.summary')
  await record(app, 'gone', `please ${WORD}`, 2)
  await app.call('sessions.delete_soon', { session_id: 'gone' })
  const feed = new AbortController()
  const fed: string[] = []
  const reading = (async () => {
    for await (const { json } of app.running.dispatch.stream('live.subscribe', {}, { access: 'all' }, feed.signal))
      fed.push(new TextDecoder().decode(json))
  })().catch(() => undefined)
  await (await ask(app.proxy, { prompt: `more ${WORD}`, session: 'gone' })).text()
  await record(app, 'stays', 'another', 2)
  await until('the feed has what is not hidden', () => Promise.resolve(fed.join('').includes('another')))
  expect(fed.join('')).not.toContain(WORD)
  feed.abort()
  await reading
  expect(await app.count({ session_id: 'gone' })).toBe(0)
  await until('the sums come without it', async () => {
    const { total_prompts } = await app.call<{ total_prompts: number }>('stats.summary')
    return total_prompts === Number(before['total_prompts']) + 1
  })
  await app.call('sessions.undo_delete', { session_id: 'gone' })
  expect(await app.count({ session_id: 'gone', kind: 'model_response' })).toBe(2)
  expect(await app.call('stats.summary')).toMatchObject({ total_prompts: 4, total_sessions: 2 })
})

test('nobody has to wait for it: it is deleted after ten seconds, with what arrived meanwhile', async () => {
  using folder = makeTempFolder()
  const app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  try {
    await record(app, 'stays', 'something else', 1)
    const before = await app.call('stats.summary')
    await record(app, 'gone', `please ${WORD}`, 2)
    await app.call('sessions.delete_soon', { session_id: 'gone' })
    // A recorder that is replaced continues the wait.
    await app.call('config.set', { key: 'lifestats.max_prompt_size', value: 500_000 })
    await app.recorderRuns()
    await (await ask(app.proxy, { prompt: `more ${WORD}`, session: 'gone' })).text()
    await untilGone(app, folder.path)
    await expect(app.call('sessions.undo_delete', { session_id: 'gone' })).rejects.toMatchObject({ code: 'not_found' })
    expect(await app.call('stats.summary')).toEqual(before)
  } finally {
    await app.close()
  }
})

test('what was pending when the app ended is deleted at its next start, which says so', async () => {
  using folder = makeTempFolder()
  const app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await record(app, 'stays', 'something else', 1)
  await record(app, 'gone', `please ${WORD}`, 2)
  await app.call('sessions.delete_soon', { session_id: 'gone' })
  await app.close()
  expect(secretsIn(folder.path, [WORD])).not.toEqual([])
  await using again = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await untilGone(again, folder.path)
  expect(await again.count({ session_id: 'gone' })).toBe(0)
  await until('Health says so', async () => {
    const { warnings } = await again.running.health()
    return warnings.some(({ code, message }) => code === 'deletions_finished' && message.includes(': 1.'))
  })
})
