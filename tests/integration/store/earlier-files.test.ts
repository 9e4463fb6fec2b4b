import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { undoBaseUrl } from '../../../src/main/clients/claude-code/setup/base-url.ts'
import { undoSetUp } from '../../../src/main/clients/claude-code/setup/setup.ts'
import { loadConfig } from '../../../src/main/config/load-config.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import {
  expectedOfEarlierFiles,
  logOfApp,
  logOfExport,
  NEUTRAL_ROOT,
  unpackEarlierFiles,
} from '../../support/store/earlier-files.ts'
import { accountOfLog, sha256 } from '../../support/store/log-account.ts'

/** Reads files of an earlier version (tests/fixtures/earlier-files): all but its database. */

// No upstream is called here.
const UPSTREAM = 'http://127.0.0.1:9'
const expected = expectedOfEarlierFiles()

let folder: TempFolder
let places: ReturnType<typeof unpackEarlierFiles>

beforeAll(() => {
  folder = makeTempFolder('aspy-earlier-')
  places = unpackEarlierFiles(folder.path)
})
afterAll(() => folder?.remove())

async function open(dataDir: string): Promise<TestApp> {
  const settings = { 'webhook.url': '', 'otel.endpoint': '', 'lifestats.retention_days': 0 }
  const app = await startApp({ upstream: UPSTREAM, dataDir, settings })
  await app.recorderRuns()
  return app
}

/** Creates an empty data folder with a different hash key. */
function emptyFolder(name: string): string {
  const path = join(folder.path, name)
  mkdirSync(path)
  return path
}

heavily(test)('its export is imported unchanged', async () => {
  expect(accountOfLog(logOfExport(places.exported))).toEqual(expected.before)
  await using imported = await open(emptyFolder('imported'))
  expect((await imported.run('store.import', { path: places.exported })).at(-1)).toMatchObject({
    events_added: expected.before.events,
    lines_bad: 0,
  })
  expect(accountOfLog(await logOfApp(imported))).toEqual(expected.before)
})

test('a session exported in the format of Claude Code is imported as a transcript', async () => {
  await using imported = await open(emptyFolder('transcripts'))
  await imported.run('transcripts.import', { paths: [places.claudeExport] })
  const { session, kinds } = expected.claude_export
  for (const kind of ['user_prompt', 'thinking', 'assistant_text', 'tool_call', 'tool_result'] as const)
    expect(await imported.count({ session_id: session, kind }), kind).toBe(kinds[kind])
})

test('setup --undo reverts its setup', async () => {
  const root = join(folder.path, 'undone')
  for (const part of ['data', 'claude'] as const) cpSync(places[part], join(root, part), { recursive: true })
  const record = join(root, 'data', 'setup.json')
  writeFileSync(record, readFileSync(record, 'utf8').replaceAll(NEUTRAL_ROOT, root))
  const removed: string[] = []
  await undoBaseUrl(join(root, 'data'), {
    name: 'systemd',
    file: 'aspy.service',
    isReachable: () => Promise.resolve(true),
    install: () => Promise.reject(new Error('nothing is installed')),
    disable: () => Promise.resolve(false),
    remove: async () => void removed.push('service'),
  })
  undoSetUp(join(root, 'data'))
  expect(removed).toEqual(['service'])
  expect(existsSync(record)).toBe(false)
  expect(readdirSync(join(root, 'claude', 'skills'))).toEqual([])
  expect(JSON.parse(readFileSync(join(root, 'claude', 'settings.json'), 'utf8'))).toEqual({
    permissions: { allow: ['Bash(ls:*)'] },
    env: { ANTHROPIC_BASE_URL: 'https://gateway.example' },
  })
  const { config } = loadConfig({ file: join(root, 'data', 'config.toml') })
  expect(config.proxy).toMatchObject({ upstream: 'https://api.anthropic.com', port: expected.config['proxy.port'] })
})

test('keys, settings and session logs are read and left unchanged', async () => {
  await using app = await open(places.data)
  expect(app.token).toBe(expected.keys['token'])
  for (const [file, key] of Object.entries(expected.keys))
    expect(readFileSync(join(places.data, file), 'utf8')).toBe(`${key}\n`)
  const { config } = loadConfig({ file: join(places.data, 'config.toml') })
  for (const [key, value] of Object.entries(expected.config)) {
    const [section = '', name = ''] = key.split('.')
    expect((config as unknown as Record<string, Record<string, unknown>>)[section]?.[name], key).toEqual(value)
  }
  expect(Object.keys(expected.session_logs).length).toBeGreaterThan(1)
  for (const [file, digest] of Object.entries(expected.session_logs))
    expect(sha256(readFileSync(join(places.data, 'logs', file), 'latin1')), file).toBe(digest)
})
