import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { readableSecretsIn, secretsIn } from '../../support/store/byte-scan.ts'
import { lastUserText, startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'

const WORD = 'quokkapromptword77'
const HOUR_MS = 3_600_000
/** Deletions wait until somebody sees their undo, then begin at once. */
const UNTIL_SEEN = { seenMs: 0, unseenMs: HOUR_MS }
const FOR_AN_HOUR = { seenMs: HOUR_MS, unseenMs: HOUR_MS }

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

/** Every list and search that a surface offers, as a reader sees them now. */
async function listed(app: TestApp): Promise<Record<string, unknown>> {
  const calls: readonly (readonly [string, object])[] = [
    ['sessions.list', {}],
    ['sessions.list', { sort: 'cost' }],
    ['sessions.tags', {}],
    ['events.list', {}],
    ['events.recent', {}],
    ['events.export', {}],
    ['live.since', { after: 0 }],
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

/** Waits until the session is deleted and nothing that can be read has its text. */
async function untilGone(app: TestApp, folder: string): Promise<void> {
  const deletions = async () => (await app.call<{ items: readonly unknown[] }>('sessions.deletions')).items
  await until('nothing is pending', async () => (await deletions()).length === 0, 60_000)
  await until('no text is left', () => {
    try {
      return Promise.resolve(readableSecretsIn(folder, [WORD]).length === 0)
    } catch (error) {
      // A file was removed while it was looked for.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Promise.resolve(false)
      throw error
    }
  })
}

interface Deletions {
  readonly items: readonly {
    readonly ids: readonly string[]
    readonly sessions: number
    readonly sessions_deleted: number
    readonly undo_until: string | null
    readonly is_seen: boolean
  }[]
}
const deletions = async (app: TestApp) => (await app.call<Deletions>('sessions.deletions')).items

test('sessions that are to be deleted leave every list and search at once; sums follow; one call brings them back', async () => {
  await using app = await startApp({ upstream: upstream.url, undo: FOR_AN_HOUR })
  await record(app, 'stays', 'something else', 1)
  const without = stable(await listed(app))
  await record(app, 'gone', `please ${WORD}`, 2)
  const [whole, sums] = [stable(await listed(app)), await app.call('stats.summary')]
  expect(JSON.stringify(whole)).toContain(WORD)

  const { undo_until } = await app.call<{ undo_until: string }>('sessions.delete_soon', { session_id: 'gone' })
  expect(Date.parse(undo_until)).toBeGreaterThan(Date.now())
  expect(stable(await listed(app))).toEqual(without)
  for (const name of ['sessions.get', 'sessions.timeline', 'sessions.events', 'sessions.footprint'])
    expect(JSON.stringify(await app.call(name, { session_id: 'gone' }).catch(() => null))).not.toContain(WORD)
  expect(await app.call('stats.summary')).toEqual(sums)
  expect(await app.call('sessions.deletions')).toEqual({
    items: [{ ids: ['gone'], sessions: 1, sessions_deleted: 0, undo_until, is_seen: false }],
    deleting: [],
  })

  expect(await app.call('sessions.undo_delete', { session_id: 'gone' })).toEqual({ sessions: 1 })
  expect(stable(await listed(app))).toEqual(whole)
  await expect(app.call('sessions.undo_delete', { session_id: 'gone' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(app.call('sessions.delete_soon', { session_id: 'never' })).rejects.toMatchObject({ code: 'not_found' })
})

test.each([{}, { ids: [] }, { ids: ['a'], session_id: 'a' }, { ids: [''] }])('%j is refused', async (input) => {
  await using app = await startApp({ upstream: upstream.url })
  for (const name of ['sessions.delete_soon', 'sessions.undo_shown', 'sessions.undo_delete'])
    await expect(app.call(name, input)).rejects.toMatchObject({ code: 'bad_input' })
})

heavily(test)(
  '150 sessions are one deletion, which begins for all when its undo was seen, and for none before',
  async () => {
    using folder = makeTempFolder()
    const app = await startApp({ upstream: upstream.url, dataDir: folder.path, undo: UNTIL_SEEN })
    try {
      await record(app, 'stays', 'something else', 1)
      const before = await app.call('stats.summary')
      const ids = Array.from({ length: 150 }, (_, at) => `gone-${at}`)
      for (const session_id of ids)
        await app.call('events.post', { session_id, kind: 'user_prompt', payload: { text: `please ${WORD}` } })
      const prompts = () => app.count({ kind: 'user_prompt' })
      const listedIds = async () => {
        const { items } = await app.call<{ items: readonly { id: string }[] }>('sessions.list', { limit: 500 })
        return items.map(({ id }) => id)
      }
      const whole = await listedIds()
      const storedEvents = await app.count()

      expect(await app.call('sessions.delete_soon', { ids })).toMatchObject({ sessions: 150 })
      expect(await listedIds()).toEqual(['stays'])
      expect(await deletions(app)).toMatchObject([{ sessions: 150, sessions_deleted: 0, is_seen: false }])
      expect(await app.call('sessions.undo_delete', { ids })).toEqual({ sessions: 150 })
      expect(await listedIds()).toEqual(whole)
      expect([await prompts(), await app.count()]).toEqual([151, storedEvents])

      await app.call('sessions.delete_soon', { ids })
      // A recorder that is replaced continues the wait.
      await app.call('config.set', { key: 'lifestats.max_prompt_size', value: 500_000 })
      await app.recorderRuns()
      expect((await deletions(app)).map(({ ids: left }) => left.toSorted())).toEqual([ids.toSorted()])
      expect(await app.call('sessions.undo_shown', { ids })).toEqual({ deletions: 1 })
      await untilGone(app, folder.path)
      await expect(app.call('sessions.undo_delete', { ids })).rejects.toMatchObject({ code: 'not_found' })
      expect(await listedIds()).toEqual(['stays'])
      expect(await app.call('stats.summary')).toEqual(before)
    } finally {
      await app.close()
    }
  },
)

test('events that arrive before an undo come back with the session', async () => {
  await using app = await startApp({ upstream: upstream.url, undo: FOR_AN_HOUR })
  await record(app, 'stays', 'something else', 1)
  await record(app, 'gone', `please ${WORD}`, 2)
  await app.call('sessions.delete_soon', { ids: ['gone'] })
  await (await ask(app.proxy, { prompt: `more ${WORD}`, session: 'gone' })).text()
  await until('it is recorded', async () => (await app.running.health()).exchanges_recorded === 3)
  expect(await app.call('recall.search', { query: WORD })).toMatchObject({ items: [] })
  await app.call('sessions.undo_delete', { ids: ['gone'] })
  expect(await app.count({ session_id: 'gone', kind: 'model_response' })).toBe(2)
  expect(await app.call('stats.summary')).toMatchObject({ total_prompts: 3, total_sessions: 2 })
})

test('an app that ends continues at its next start: what can still be undone waits on, what is due begins', async () => {
  using folder = makeTempFolder()
  const start = (undo: typeof FOR_AN_HOUR) => startApp({ upstream: upstream.url, dataDir: folder.path, undo })
  const first = await start(FOR_AN_HOUR)
  await record(first, 'stays', 'something else', 1)
  await record(first, 'gone', `please ${WORD}`, 2)
  await first.call('sessions.delete_soon', { ids: ['gone', 'stays'] })
  await first.close()
  const second = await start(FOR_AN_HOUR)
  await second.recorderRuns()
  expect(await second.call('sessions.undo_delete', { ids: ['stays'] })).toEqual({ sessions: 1 })
  expect(await deletions(second)).toMatchObject([{ ids: ['gone'], sessions: 1 }])
  await second.close()
  expect(secretsIn(folder.path, [WORD])).not.toEqual([])
  // It waits no longer than a deletion may: here, not at all.
  await using third = await start({ seenMs: 0, unseenMs: 0 })
  await untilGone(third, folder.path)
  expect(await third.count({ session_id: 'gone' })).toBe(0)
  expect(await third.count({ session_id: 'stays', kind: 'model_response' })).toBe(1)
})
