import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { until } from '../../support/runner/until.ts'

let upstream: MessagesUpstream
let app: TestApp
beforeAll(async () => {
  upstream = await startMessagesUpstream(() => ({
    steps: [{ thinking: 'Low contrast tires less.' }, { text: 'Take the solarized theme.' }],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
  app = await startApp({ upstream: upstream.url })
})
afterAll(async () => {
  await app.close()
  await upstream.close()
})

const rebuild = (input: object) => app.run('store.rebuild', input)

test('the app rebuilds while it serves and records, and reports progress', async () => {
  const answered = () => app.count({ kind: 'model_response' })
  await (await ask(app.proxy, { prompt: 'Which theme?', session: 's' })).text()
  await until('it is recorded', async () => (await answered()) === 1)
  const before = await app.call('stats.summary')
  const found = await app.call('recall.search', { query: 'solarized' })

  const [progress] = await Promise.all([
    rebuild({}),
    ask(app.proxy, { prompt: 'And at night?', session: 's' }).then((response) => response.text()),
  ])
  const last = progress.at(-1)
  expect(last).toMatchObject({ done: true })
  expect(last?.['events_done']).toBe(last?.['events'])
  await until('the second is recorded', async () => (await answered()) === 2)
  expect(await app.call('stats.summary')).toMatchObject({ total_prompts: 2, total_tokens: 2200 })
  expect(before).toMatchObject({ total_prompts: 1, total_tokens: 1100 })
  expect(found).toMatchObject({ items: expect.arrayContaining([expect.objectContaining({ session_id: 's' })]) })
  expect((await rebuild({ only: ['rollups'] })).at(-1)).toMatchObject({ projections: 1, done: true })
  await expect(rebuild({ only: ['nothing'] })).rejects.toMatchObject({ code: 'bad_input' })
})
