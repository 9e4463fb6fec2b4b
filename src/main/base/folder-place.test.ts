import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FolderPlace } from './folder-place.ts'

vi.mock('node:fs/promises', { spy: true })

let temp: string
let data: string
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  temp = mkdtempSync(join(tmpdir(), 'aspy-place-'))
  data = join(temp, 'data')
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(join(data, 'token'), 'key', { mode: 0o600 })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(temp, { recursive: true })
})

/** Lets time pass until the folder was looked at. */
async function look(): Promise<void> {
  vi.advanceTimersByTime(2000)
  const asked = [...vi.mocked(stat).mock.results, ...vi.mocked(access).mock.results]
  await Promise.allSettled(asked.map(({ value }) => value as Promise<unknown>))
  await setImmediate()
}

test('a folder that is removed stays gone, though the one in its place may get its number', async () => {
  const place = new FolderPlace()
  const placed = vi.fn()
  const stop = place.watch(data, placed)
  await look()
  expect(place.isGone).toBe(false)
  rmSync(data, { recursive: true })
  for (const seconds of [2, 4, 6]) {
    await look()
    expect([seconds, place.isGone]).toEqual([seconds, true])
  }
  expect(placed).toHaveBeenCalledOnce()
  expect(readFileSync(join(data, 'token'), 'utf8')).toBe('key')
  stop()
  rmSync(data, { recursive: true })
  await look()
  expect(existsSync(data)).toBe(false)
})

test('a folder on a mount that does not answer is looked at once, and holds up nothing', () => {
  const place = new FolderPlace()
  const stop = place.watch(data, vi.fn())
  const looks = vi.mocked(stat).mockClear()
  looks.mockImplementation(() => new Promise(() => undefined))
  vi.advanceTimersByTime(10_000)
  expect([looks.mock.calls.length, place.isGone]).toEqual([1, false])
  stop()
})
