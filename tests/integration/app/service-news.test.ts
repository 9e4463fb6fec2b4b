import { expect, test } from 'vitest'
import type { LiveBatch } from '../../../src/shared/contract/live.ts'
import { ask } from '../../support/app/ask.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'

test('a limit that passes a mark is reported to live readers, with the reset that the API named', async () => {
  using folder = makeTempFolder()
  const resets = Math.floor(Date.now() / 1000) + 3600
  const upstream = await startMessagesUpstream(() => ({
    steps: [{ text: 'Done.' }],
    headers: {
      'anthropic-ratelimit-unified-5h-utilization': '0.81',
      'anthropic-ratelimit-unified-5h-reset': String(resets),
    },
  }))
  await using app = await startApp({ upstream: upstream.url, dataDir: folder.path })
  const abort = new AbortController()
  const news: string[] = []
  const following = (async () => {
    const decoder = new TextDecoder()
    for await (const { json } of app.running.dispatch.stream('live.subscribe', {}, { access: 'read' }, abort.signal))
      news.push(...((JSON.parse(decoder.decode(json)) as LiveBatch).news ?? []).map(({ title }) => title))
  })()
  await (await ask(app.proxy, { prompt: 'How much is left?' })).text()
  await expect.poll(() => news).toEqual(['75% of the 5-hour limit is used'])
  abort.abort()
  await following
  await upstream.close()
})
