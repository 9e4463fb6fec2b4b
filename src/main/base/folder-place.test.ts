import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FolderPlace } from './folder-place.ts'

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

test('a folder that is removed stays gone, though the one in its place may get its number', () => {
  const place = new FolderPlace()
  const placed = vi.fn()
  const stop = place.watch(data, placed)
  vi.advanceTimersByTime(2000)
  expect(place.isGone).toBe(false)
  rmSync(data, { recursive: true })
  for (const seconds of [2, 4, 6]) {
    vi.advanceTimersByTime(2000)
    expect([seconds, place.isGone]).toEqual([seconds, true])
  }
  expect(placed).toHaveBeenCalledOnce()
  expect(readFileSync(join(data, 'token'), 'utf8')).toBe('key')
  stop()
  rmSync(data, { recursive: true })
  vi.advanceTimersByTime(2000)
  expect(existsSync(data)).toBe(false)
})
