import { once } from 'node:events'
import { statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

/** The guard's threads, newest last: Node announces each worker to its process. */
function watchThreads(): { readonly threads: readonly Worker[]; [Symbol.dispose](): void } {
  const threads: Worker[] = []
  const onWorker = (worker: Worker) => {
    if (worker.threadName === 'guard') threads.push(worker)
  }
  process.on('worker', onWorker)
  return { threads, [Symbol.dispose]: () => void process.off('worker', onWorker) }
}

test('without its thread the guard lets requests pass, counts them, and stops again once it is back', async () => {
  using watched = watchThreads()
  await using upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer' }] }))
  await using app = await startApp({
    upstream: upstream.url,
    settings: { 'guard.request_tokens': 10, 'guard.action': 'refuse', 'guard.decide_ms': 10_000 },
  })
  const counts = async () => (await app.call<{ counts: Readonly<Record<string, number>> }>('guard.get')).counts
  const status = async () => (await ask(app.proxy, { prompt: 'a question' })).status
  expect(await status()).toBe(402)

  const [first] = watched.threads
  const exited = first === undefined ? null : once(first, 'exit')
  await first?.terminate()
  await exited
  expect(await status()).toBe(200)
  expect(await counts()).toMatchObject({ refused: 1, unpriced: 1 })
  expect(await app.call('guard.get')).toMatchObject({ most_in_flight: 1, passed: [{ reason: 'down', requests: 1 }] })

  await until('it is back', async () => (await status()) === 402)
  expect(watched.threads).toHaveLength(2)
  expect((await counts())['refused']).toBe(2)
})

test('the first request after a start waits for the first answer of the guard, however short decide_ms is', async () => {
  await using upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer' }] }))
  await using app = await startApp({
    upstream: upstream.url,
    settings: { 'guard.request_tokens': 10, 'guard.action': 'refuse', 'guard.decide_ms': 10 },
  })
  // Long enough that no machine reads it in 10 ms.
  const status = async () => (await ask(app.proxy, { prompt: 'a question '.repeat(800_000) })).status
  expect([await status(), await status()]).toEqual([402, 200])
  const { warnings } = await app.call<{ warnings: readonly { code: string }[] }>('health.get')
  expect(warnings.map(({ code }) => code)).toContain('guard_passed')
})

test('a damaged database does not keep an app with caps from serving', async () => {
  using watched = watchThreads()
  using folder = makeTempFolder()
  await using upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'an answer' }] }))
  const settings = { 'guard.request_tokens': 10, 'guard.action': 'refuse' }
  await using before = await startApp({ upstream: upstream.url, dataDir: folder.path })
  await (await ask(before.proxy, { prompt: 'a question' })).text()
  await before.close()
  const path = join(folder.path, 'lifestats.db')
  truncateSync(path, Math.floor(statSync(path).size / 8192) * 4096)
  await using app = await startApp({ upstream: upstream.url, settings, dataDir: folder.path })
  const status = async () => (await ask(app.proxy, { prompt: 'a question' })).status
  await until('its caps hold', async () => (await status()) === 402)
  expect(watched.threads).toHaveLength(1)
})
