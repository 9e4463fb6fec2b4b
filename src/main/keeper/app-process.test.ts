import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { AppProcess, type AppEnd } from './app-process.ts'
import { ALIVE_MS } from './protocol.ts'

afterEach(() => vi.useRealTimers())

/** Starts a program in the place of an app; resolves once it has said that it is ready. */
async function started(program: string) {
  const dir = mkdtempSync(join(tmpdir(), 'aspy-app-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(
    join(dir, 'app.js'),
    `${program}; process.send({ kind: 'ready', canStore: true }); setInterval(() => 0, 1e6)`,
  )
  const [ready, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<AppEnd>()]
  const app = new AppProcess({
    command: [join(dir, 'app.js')],
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
  const { ended } = await started("process.send({ kind: 'alive' })")
  tick(5)
  expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 300, 'lives'))])).toBe('lives')
  tick(1)
  expect(await ended).toEqual({ code: null, signal: 'SIGKILL' })
})

test('an app of a build that gives none is left alone', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { ended } = await started("process.send({ kind: 'waits', count: 3 })")
  tick(100)
  expect(await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 300, 'lives'))])).toBe('lives')
})
