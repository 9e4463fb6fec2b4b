import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchProgram } from './watch-program.ts'

let folder = ''
let file = ''
beforeEach(() => {
  vi.useFakeTimers()
  folder = mkdtempSync(join(tmpdir(), 'aspy-program-'))
  file = join(folder, 'aspy.js')
  writeFileSync(file, 'one')
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

const look = (times = 1) => vi.advanceTimersByTime(times * 5000)
function install(text: string): void {
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
}

test('an update is noticed once it no longer changes, and tried again later and later', () => {
  const replace = vi.fn<() => void>()
  watchProgram(file, replace)
  look(100)
  install('two')
  look()
  install('three')
  look()
  expect(replace).toHaveBeenCalledTimes(0)
  look()
  expect(replace).toHaveBeenCalledTimes(1)
  look(2)
  expect(replace).toHaveBeenCalledTimes(2)
  look(3)
  expect(replace).toHaveBeenCalledTimes(2)
  look()
  expect(replace).toHaveBeenCalledTimes(3)
})

test('a program that is removed, or put back, is none', () => {
  const replace = vi.fn<() => void>()
  watchProgram(file, replace)
  renameSync(file, `${file}.aside`)
  look(10)
  renameSync(`${file}.aside`, file)
  look(10)
  expect(replace).toHaveBeenCalledTimes(0)
})
