import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isCheckDue, noteCheck } from './last-check.ts'

test('a check is noted, and none is due for a day', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'aspy-check-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  expect(isCheckDue(dir, 1e12)).toBe(true)
  await noteCheck(dir, 1e12)
  expect([0, 86_399_999, 86_400_000, -1].map((later) => isCheckDue(dir, 1e12 + later))).toEqual([
    false,
    false,
    true,
    true,
  ])
})
