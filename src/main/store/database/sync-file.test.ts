import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { beginSync } from './sync-file.ts'

test('a file is synced to disk, whether or not the caller waits; a failure is reported to the caller', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'aspy-sync-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'file')
  writeFileSync(path, 'bytes')
  const [awaited, atOnce, missing, missed] = [
    beginSync(path),
    beginSync(path),
    beginSync(join(folder, 'none')),
    beginSync(join(folder, 'none')),
  ]
  expect(() => atOnce.finish()).not.toThrow()
  expect(() => missed.finish()).toThrow('ENOENT')
  await Promise.all([awaited.over, atOnce.over, missing.over, missed.over])
  rmSync(path)
  // A finished sync is not repeated.
  expect(() => awaited.finish()).not.toThrow()
  expect(() => missing.finish()).toThrow('ENOENT')
})
