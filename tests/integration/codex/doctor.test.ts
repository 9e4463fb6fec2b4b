import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { KNOWN_CODEX } from '../../../src/main/clients/codex/known-version.ts'
import { examineCodex } from '../../../src/main/clients/codex/doctor.ts'

const WANTED = 'http://127.0.0.1:2779/aspy-path-now/openai/v1'
const verdicts = (config: string | null, version: string | null = KNOWN_CODEX) => {
  using home = makeTempFolder('aspy-codex-doctor-')
  if (config !== null) writeFileSync(join(home.path, 'config.toml'), config)
  return examineCodex({ folder: home.path, client: { path: '/bin/codex', version }, baseUrl: WANTED }).map(
    ({ check, verdict }) => [check, verdict],
  )
}

test('a machine without Codex is not examined', () => {
  expect(examineCodex({ folder: '/nowhere/at/all', client: null, baseUrl: WANTED })).toEqual([])
})

test('each way to connect has its verdict', () => {
  const baseUrl = (config: string | null) => verdicts(config)[1]?.[1]
  expect(baseUrl(null)).toBe('ok')
  expect(baseUrl('model = "x"')).toBe('ok')
  expect(baseUrl(`openai_base_url = "${WANTED}"`)).toBe('ok')
  expect(baseUrl('openai_base_url = "http://127.0.0.1:2779/aspy-path-old/openai/v1"')).toBe('warning')
  expect(baseUrl('openai_base_url = "https://gateway.example/v1"')).toBe('note')
  expect(baseUrl('model_provider = "ollama"')).toBe('warning')
  expect(baseUrl('model = ')).toBe('failure')
})

test('another version than the tested one is only noted', () => {
  expect(verdicts(null)[0]).toEqual(['codex', 'ok'])
  expect(verdicts(null, '0.999.0')[0]).toEqual(['codex', 'note'])
})
