import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nameUpstream, upstreamNamedIn } from '../../../base/session-upstreams.ts'
import type { ServiceManager } from '../../../login-service/service-manager.ts'
import { rotateBaseUrl, setBaseUrl, undoBaseUrl, type BaseUrlOptions } from './base-url.ts'

const PROXY = 'http://127.0.0.1:2779'
let root = ''
let service: 'none' | 'running' = 'none'
let options: BaseUrlOptions

const manager = (more: Partial<ServiceManager> = {}): ServiceManager => ({
  name: 'systemd',
  file: join(root, 'aspy.service'),
  isReachable: () => Promise.resolve(true),
  install: () => {
    service = 'running'
    return Promise.resolve()
  },
  disable: () => Promise.resolve(true),
  remove: () => {
    service = 'none'
    return Promise.resolve()
  },
  ...more,
})

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aspy-base-url-'))
  service = 'none'
  mkdirSync(join(root, 'data'))
  options = {
    dataDir: join(root, 'data'),
    settingsFile: join(root, 'settings.json'),
    configFile: join(root, 'config.toml'),
    proxyUrl: PROXY,
    upstream: 'https://gateway.example/y',
    env: {},
    services: manager(),
    service: { command: ['/node', '/aspy'], env: {}, logFile: join(root, 'log') },
    runningUpstream: null,
    isServed: () => Promise.resolve(service === 'running'),
  }
})
afterEach(() => rmSync(root, { recursive: true }))

/** The base URL that setup writes, including the secret of the data folder. */
const ours = (proxy = PROXY) => `${proxy}/${readFileSync(join(root, 'data', 'path-secret'), 'utf8').trim()}`
/** The same for clients that had a base URL of their own. */
const oursTo = (upstream: string, proxy = PROXY) => `${ours(proxy)}/${nameUpstream(options.dataDir, upstream)}`
/** Every file and its content, without the path secret and the upstreams, which clients that run still need. */
const files = () =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'path-secret' && !entry.parentPath.endsWith('upstreams'))
      .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')]),
  )
const settings = () => JSON.parse(readFileSync(options.settingsFile, 'utf8')) as { env?: Record<string, string> }

test('a base URL comes with a service, and names the previous one as its own upstream; undo restores every byte', async () => {
  writeFileSync(
    options.settingsFile,
    '{"env":{"ANTHROPIC_BASE_URL":"https://gateway.example/x","A":"1"}, "model":"opus"}',
  )
  writeFileSync(options.configFile, '# mine\n[proxy] # here\nport = 2779\n')
  const before = files()
  await setBaseUrl(options)
  const named = oursTo('https://gateway.example/x')
  expect(settings()).toEqual({ env: { ANTHROPIC_BASE_URL: named, A: '1' }, model: 'opus' })
  expect(upstreamNamedIn(options.dataDir, named)).toBe('https://gateway.example/x')
  // Other sessions have the API as before.
  expect(readFileSync(options.configFile, 'utf8')).toBe('# mine\n[proxy] # here\nport = 2779\n')
  expect(service).toBe('running')
  const after = files()
  await setBaseUrl(options)
  expect(files()).toEqual(after)
  await undoBaseUrl(options.dataDir, options.services)
  expect(files()).toEqual(before)
  expect(service).toBe('none')
  expect(await undoBaseUrl(options.dataDir, options.services)).toEqual([])
})

test('undo leaves no files if there were none before', async () => {
  await setBaseUrl({ ...options, env: { ANTHROPIC_BASE_URL: 'http://shell.example' } })
  expect(settings().env).toEqual({ ANTHROPIC_BASE_URL: oursTo('http://shell.example') })
  // A later setup on another port: the base URL set before is ours and must not become the upstream.
  await setBaseUrl({ ...options, proxyUrl: 'http://127.0.0.1:4000' })
  expect(settings().env).toEqual({ ANTHROPIC_BASE_URL: oursTo('http://shell.example', 'http://127.0.0.1:4000') })
  expect(existsSync(options.configFile)).toBe(false)
  await undoBaseUrl(options.dataDir, options.services)
  expect(files()).toEqual({})
})

const refusals: readonly (readonly [string, () => Partial<BaseUrlOptions>, RegExp])[] = [
  ['there is no service manager', () => ({ services: null }), /nothing was changed.*aspy run/],
  [
    'the service manager cannot be reached',
    () => ({ services: manager({ isReachable: () => Promise.resolve(false) }) }),
    /systemd/,
  ],
  [
    'the service does not start',
    () => ({ services: manager({ install: () => Promise.reject(new Error('no')) }) }),
    /no/,
  ],
  ['nothing serves the address afterwards', () => ({ isServed: () => Promise.resolve(false) }), /does not serve/],
]
test.each(refusals)('nothing changes if %s', async (_name, more, message) => {
  writeFileSync(options.settingsFile, '{"env": {"ANTHROPIC_BASE_URL": "https://gateway.example"}}')
  const before = files()
  await expect(setBaseUrl({ ...options, ...more() })).rejects.toThrow(message)
  expect(files()).toEqual(before)
  expect(service).toBe('none')
})

test('an app that forwards elsewhere than the settings say is refused, but not because of a gateway of clients', async () => {
  const runningUpstream = 'https://api.anthropic.com'
  writeFileSync(options.configFile, '[proxy]\nupstream = "https://other.example"\n')
  await expect(setBaseUrl({ ...options, runningUpstream })).rejects.toThrow(/stop it/)
  expect(service).toBe('none')
  await setBaseUrl({ ...options, runningUpstream, env: { ANTHROPIC_BASE_URL: 'http://shell.example' } })
  expect(settings().env).toEqual({ ANTHROPIC_BASE_URL: oursTo('http://shell.example') })
})

test('undo takes back the upstream that an earlier version wrote for all sessions', async () => {
  await setBaseUrl(options)
  const record = join(options.dataDir, 'setup.json')
  const upstream = { file: options.configFile, before: null, after: 'https://gateway.example' }
  writeFileSync(record, JSON.stringify({ ...(JSON.parse(readFileSync(record, 'utf8')) as object), upstream }))
  writeFileSync(options.configFile, '[proxy]\nupstream = "https://gateway.example"\n')
  await setBaseUrl(options)
  expect(settings().env).toEqual({ ANTHROPIC_BASE_URL: ours() })
  await undoBaseUrl(options.dataDir, options.services)
  expect(files()).toEqual({})
})

test("loopback bypasses the network's proxy", async () => {
  await setBaseUrl({ ...options, env: { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'intranet' } })
  expect(settings().env).toEqual({ ANTHROPIC_BASE_URL: ours(), NO_PROXY: 'intranet,127.0.0.1' })
  await undoBaseUrl(options.dataDir, options.services)
  expect(existsSync(options.settingsFile)).toBe(false)
  await setBaseUrl({ ...options, env: { HTTPS_PROXY: 'http://proxy:3128', no_proxy: 'localhost, 127.0.0.1' } })
  expect(settings().env).toEqual({ ANTHROPIC_BASE_URL: ours() })
})

test('undo keeps settings that were changed after setup', async () => {
  await setBaseUrl({ ...options, env: { ANTHROPIC_BASE_URL: 'http://shell.example' } })
  writeFileSync(options.settingsFile, '{"env":{"ANTHROPIC_BASE_URL":"http://later.example"}}')
  const done = await undoBaseUrl(options.dataDir, options.services)
  expect(done.filter((line) => line.startsWith('kept your change'))).toHaveLength(1)
  expect(settings().env).toEqual({ ANTHROPIC_BASE_URL: 'http://later.example' })
})

const API = 'https://api.anthropic.com'
const ASSUME = '_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL'

test.each([
  ["Anthropic's API", { upstream: API }, '1'],
  ["Anthropic's API, with --no-assume", { upstream: API, assume: false }, undefined],
  ['a gateway', { upstream: 'https://gateway.example' }, undefined],
  ['a gateway, with --assume', { upstream: 'https://gateway.example', assume: true }, '1'],
  ['a name that only begins alike', { upstream: 'https://api.anthropic.com.example' }, undefined],
  [
    'a gateway that clients used before',
    { upstream: API, env: { ANTHROPIC_BASE_URL: 'http://shell.example' } },
    undefined,
  ],
] as const)('clients assume the first party for %s: %j', async (_name, more, expected) => {
  await setBaseUrl({ ...options, ...more })
  expect(settings().env?.[ASSUME]).toBe(expected)
  await undoBaseUrl(options.dataDir, options.services)
  expect(files()).toEqual({})
})

test('a later setup with --no-assume takes the variable back; undo restores every byte', async () => {
  writeFileSync(options.settingsFile, '{ "model":"opus" }\n')
  const before = files()
  await setBaseUrl({ ...options, upstream: API })
  expect(settings().env).toEqual({ ANTHROPIC_BASE_URL: ours(), [ASSUME]: '1' })
  await setBaseUrl({ ...options, upstream: API, assume: false })
  expect(settings().env).toEqual({ ANTHROPIC_BASE_URL: ours() })
  await undoBaseUrl(options.dataDir, options.services)
  expect(files()).toEqual(before)
})

test('a base URL that an earlier version set without a secret is ours, and gets one', async () => {
  await setBaseUrl(options)
  const { changes, ...rest } = JSON.parse(readFileSync(join(root, 'data', 'setup.json'), 'utf8')) as {
    changes: { after: string }[]
  }
  writeFileSync(
    join(root, 'data', 'setup.json'),
    JSON.stringify({ ...rest, changes: changes.map((change) => ({ ...change, after: PROXY })) }),
  )
  writeFileSync(options.settingsFile, JSON.stringify({ env: { ANTHROPIC_BASE_URL: PROXY } }))
  await setBaseUrl(options)
  expect(settings().env).toEqual({ ANTHROPIC_BASE_URL: ours() })
  expect(existsSync(options.configFile)).toBe(false)
  await undoBaseUrl(options.dataDir, options.services)
  expect(files()).toEqual({})
})

test('a rotation makes a new secret and rewrites the settings; undo still restores every byte', async () => {
  writeFileSync(options.settingsFile, '{ "model":"opus" }\n')
  const before = files()
  await setBaseUrl({ ...options, upstream: API })
  const first = ours()
  expect(rotateBaseUrl(options.dataDir)).toEqual([
    expect.stringContaining('path secret: replaced'),
    `base URL: updated in ${options.settingsFile}`,
  ])
  expect(ours()).not.toBe(first)
  expect(settings().env).toEqual({ ANTHROPIC_BASE_URL: ours(), [ASSUME]: '1' })
  await undoBaseUrl(options.dataDir, options.services)
  expect(files()).toEqual(before)
})

test('a rotation keeps the upstream of clients that had a base URL', async () => {
  await setBaseUrl({ ...options, env: { ANTHROPIC_BASE_URL: 'http://shell.example' } })
  const first = ours()
  rotateBaseUrl(options.dataDir)
  expect(ours()).not.toBe(first)
  expect(settings().env).toEqual({ ANTHROPIC_BASE_URL: oursTo('http://shell.example') })
})

test('a rotation keeps a base URL that somebody changed', async () => {
  await setBaseUrl(options)
  writeFileSync(options.settingsFile, '{"env":{"ANTHROPIC_BASE_URL":"http://later.example"}}')
  expect(rotateBaseUrl(options.dataDir)[1]).toMatch(/^kept your change/)
  expect(settings().env).toEqual({ ANTHROPIC_BASE_URL: 'http://later.example' })
})
