import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { AppProcess, type AppEnd } from './app-process.ts'
import { ALIVE_MS } from './protocol.ts'

afterEach(() => vi.useRealTimers())

/** Starts a program in the place of an app; resolves once it has said that it is ready. */
async function started(program: string) {
  const dir = mkdtempSync(join(tmpdir(), 'aspy-app-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'app.mjs'), `${program}; setInterval(() => 0, 1e6)`)
  const [ready, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<AppEnd>()]
  const app = new AppProcess({
    command: [join(dir, 'app.mjs')],
    as: 'first',
    onMessage: () => ready.resolve(),
    onEnd: ended.resolve,
  })
  onTestFinished(() => app.kill())
  await ready.promise
  return { app, ended: ended.promise }
}

const tick = (times: number) => vi.advanceTimersByTime(times * ALIVE_MS)

test('an app that gives no more signs of life is ended, after 18 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { ended } = await started("process.send({ kind: 'alive' }); process.send({ kind: 'ready', canStore: true })")
  tick(5)
  expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 300, 'lives'))])).toBe('lives')
  tick(1)
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL' })
})

test('an app of a build that gives none is left alone', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { ended } = await started("process.send({ kind: 'ready', canStore: true })")
  tick(100)
  expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 300, 'lives'))])).toBe('lives')
})

test('an app that hangs as soon as it serves is ended, too', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const kept = pathToFileURL(join(import.meta.dirname, 'kept.ts')).href
  const hang = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'
  const { ended } = await started(`import { Kept } from '${kept}'; new Kept({ warn() {} }).ready(true); ${hang}`)
  await expect.poll(() => vi.getTimerCount()).toBe(1)
  tick(6)
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL' })
})
