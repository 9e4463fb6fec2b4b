import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { createUpdateCheck, type Updater } from './update-check.ts'

const unexpected = (error: unknown) => expect.unreachable(String(error))

class FakeUpdater extends EventEmitter {
  readonly calls: string[] = []
  autoDownload = false
  autoInstallOnAppQuit = true
  requestHeaders: object | null = null
  setFeedURL(options: { url: string }): void {
    this.calls.push(`feed ${options.url}`)
  }
  async checkForUpdates(): Promise<void> {
    this.calls.push('check')
  }
  quitAndInstall(): void {
    this.calls.push('install')
  }
}

test('checks and loads nothing without an address, or in an app that is not packaged', () => {
  const load = vi.fn<() => Promise<Updater>>()
  const options = { load, onWaiting: expect.unreachable, onFault: unexpected }
  createUpdateCheck({ ...options, isPackaged: true }).apply('')
  createUpdateCheck({ ...options, isPackaged: false }).apply('https://example.org/aspy')
  expect(load).not.toHaveBeenCalled()
})

test('a new version is downloaded, and installed on request', async () => {
  const updater = new FakeUpdater()
  const reported: string[] = []
  const check = createUpdateCheck({
    load: async () => updater,
    isPackaged: true,
    onWaiting: (version) => reported.push(version),
    onFault: (error) => reported.push(String(error)),
  })
  check.apply('https://example.org/aspy')
  check.apply('https://example.org/aspy')
  await expect.poll(() => updater.calls).toEqual(['feed https://example.org/aspy', 'check'])
  expect([updater.autoDownload, updater.autoInstallOnAppQuit]).toEqual([true, false])
  // Without it, electron-updater sends an ID of its own.
  expect(updater.requestHeaders).toEqual({ 'x-user-staging-id': 'none' })
  expect(check.waiting()).toBeNull()
  updater.emit('update-downloaded', { version: '1.2.3' })
  updater.emit('error', new Error('no network'))
  expect(reported).toEqual(['1.2.3', 'Error: no network'])
  expect(check.waiting()).toBe('1.2.3')
  check.install()
  expect(updater.calls.at(-1)).toBe('install')
  check.stop()
})

test('an address removed in time is never contacted', async () => {
  const updater = new FakeUpdater()
  const check = createUpdateCheck({
    load: async () => updater,
    isPackaged: true,
    onWaiting: expect.unreachable,
    onFault: unexpected,
  })
  check.apply('https://example.org/aspy')
  check.apply('')
  await new Promise((resolve) => setImmediate(resolve))
  expect(updater.calls).toEqual([])
})
