import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { settingsOfRun } from './settings-of-run.ts'

test('a config file with a mistake stops a command only once it needs a setting', () => {
  const data = mkdtempSync(join(tmpdir(), 'aspy-settings-'))
  onTestFinished(() => rmSync(data, { recursive: true }))
  writeFileSync(join(data, 'config.toml'), '[gaurd]\nday_usd = 1\n')
  const found = settingsOfRun({ data }, {})
  expect(found.dataDir).toBe(data)
  expect(() => found.loaded).toThrow(/gaurd.*did you mean.*guard/)
  expect(settingsOfRun({ data }, {}, true).fault).toMatch(/gaurd/)
  expect(() => settingsOfRun({ data, upstream: 'nonsense' }, {}, true)).toThrow()
})
