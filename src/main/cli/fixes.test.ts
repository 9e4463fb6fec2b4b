import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { doFixes } from './fixes.ts'

test('a fix that fails stops none of the others, and is named with its reason', async () => {
  const path = mkdtempSync(join(tmpdir(), 'aspy-fixes-'))
  chmodSync(path, 0o755)
  const finding = (check: string, wanted: string) =>
    ({ check, verdict: 'failure', said: '', mend: null, fix: { modes: [{ path: wanted, mode: 0o700 }] } }) as const
  const { done, failed } = await doFixes([finding('keys', join(path, 'gone')), finding('data folder', path)], [])
  expect(done.map(({ check }) => check)).toEqual(['data folder'])
  expect(failed).toEqual([{ check: 'keys', reason: expect.stringContaining('ENOENT') }])
  expect(statSync(path).mode & 0o777).toBe(0o700)
  rmSync(path, { recursive: true })
})
