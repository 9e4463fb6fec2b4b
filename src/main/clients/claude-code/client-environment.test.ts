import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clientEnvironment, cloudOf, networkProxyOf, upstreamOf } from './client-environment.ts'
import { clientSettings, settingsEnvironment } from './client-settings.ts'

const OURS = 'http://127.0.0.1:2779'

test('our own address is never an upstream, however it is written; any other address is', () => {
  for (const set of [undefined, '', ' ', OURS, `${OURS}/`, `${OURS}/v1`])
    expect(upstreamOf({ ANTHROPIC_BASE_URL: set }, OURS, '/nonexistent')).toBeNull()
  expect(upstreamOf({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:2780' }, OURS, '/nonexistent')).toBe(
    'http://127.0.0.1:2780',
  )
  expect(() => upstreamOf({ ANTHROPIC_BASE_URL: 'gateway' }, OURS, '/nonexistent')).toThrow(
    /not a valid address: gateway/,
  )
})

test("a client reaches us without going through the network's proxy", () => {
  const env = clientEnvironment(
    { HTTPS_PROXY: 'http://x:1', no_proxy: 'intranet' },
    { ANTHROPIC_BASE_URL: `${OURS}/s` },
  )
  expect(env).toMatchObject({
    ANTHROPIC_BASE_URL: `${OURS}/s`,
    NO_PROXY: 'intranet,127.0.0.1',
    HTTPS_PROXY: 'http://x:1',
  })
  expect(networkProxyOf(env)).toEqual({ variable: 'HTTPS_PROXY', skipsLoopback: true })
  expect(networkProxyOf({ all_proxy: 'http://x:1', NO_PROXY: '10.127.0.0.1' })?.skipsLoopback).toBe(false)
  expect(networkProxyOf({ NO_PROXY: '*' })).toBeNull()
})

test('a cloud provider counts only if it is switched on', () => {
  expect(cloudOf({ CLAUDE_CODE_USE_BEDROCK: '1' })).toBe('Amazon Bedrock')
  expect(cloudOf({ CLAUDE_CODE_USE_VERTEX: 'true' })).toBe('Google Vertex AI')
  expect(cloudOf({ CLAUDE_CODE_USE_BEDROCK: '0', CLAUDE_CODE_USE_VERTEX: '' })).toBeNull()
})

test('project settings win over user settings; unreadable files are named', () => {
  const root = mkdtempSync(join(tmpdir(), 'aspy-settings-'))
  const write = (folder: string, name: string, text: string) => {
    mkdirSync(join(root, folder, '.claude'), { recursive: true })
    writeFileSync(join(root, folder, '.claude', name), text)
  }
  write('home', 'settings.json', '{"env":{"A":"user","B":"user","N":1}}')
  write('project', 'settings.json', '{"env":{"A":"project"}}')
  write('project', 'settings.local.json', '{ broken')
  const settings = clientSettings({}, join(root, 'home'), join(root, 'project'))
  expect(settingsEnvironment(settings)).toEqual({ A: 'project', B: 'user' })
  expect(settings.filter(({ values }) => values === null).map(({ file }) => file)).toEqual([
    join(root, 'project/.claude/settings.local.json'),
  ])
  const elsewhere = clientSettings({ CLAUDE_CONFIG_DIR: join(root, 'project/.claude') }, root, root)
  expect(settingsEnvironment(elsewhere)).toEqual({ A: 'project' })
  rmSync(root, { recursive: true })
})
