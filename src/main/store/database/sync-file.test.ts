import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { beginSync } from './sync-file.ts'

test('a file is brought to the disk, waited for or not; where that cannot be done, who asks is told', async () => {
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
  // What is over is not done once more.
  expect(() => awaited.finish()).not.toThrow()
  expect(() => missing.finish()).toThrow('ENOENT')
})
