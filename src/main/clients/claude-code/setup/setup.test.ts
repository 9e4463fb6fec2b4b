import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeSetting } from './settings-change.ts'
import { setUp, undoSetUp, type SetupOptions } from './setup.ts'

let root = ''
let options: SetupOptions

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aspy-setup-'))
  const dataDir = join(root, 'data')
  const claudeDir = join(root, 'claude')
  mkdirSync(dataDir)
  mkdirSync(claudeDir)
  options = {
    source: join(import.meta.dirname, '../../../../../resources/claude-plugin'),
    aspy: ['/opt/node', "/opt/it's here/aspy"],
    dataDir,
    claudeDir,
    hooksUrl: 'http://127.0.0.1:2780/api/hooks',
    hooksKey: 'the-key-of-hooks',
    watchesFiles: false,
    withThinking: false,
  }
})
afterEach(() => rmSync(root, { recursive: true }))

const json = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), 'utf8')) as Record<string, never>

test('the plugin contains the address of Aspy, is readable by its owner only, and leaves settings unchanged', () => {
  setUp(options)
  expect(json('claude/skills/aspy/.mcp.json')).toEqual({
    mcpServers: { aspy: { command: '/opt/node', args: ["/opt/it's here/aspy", 'mcp', '--data', options.dataDir] } },
  })
  const { hooks } = json('claude/skills/aspy/hooks/hooks.json') as unknown as {
    hooks: Record<string, [{ hooks: [{ type: string; command?: string; headers?: object }] }]>
  }
  expect(hooks['SessionStart']?.[0].hooks[0].command).toContain(String.raw`'/opt/it'\''s here/aspy' hook`)
  expect(hooks['PostToolUse']?.[0].hooks[0]).toMatchObject({
    type: 'http',
    headers: { Authorization: 'Bearer the-key-of-hooks' },
  })
  expect(statSync(join(root, 'claude/skills/aspy/hooks/hooks.json')).mode & 0o777).toBe(0o600)
  expect(existsSync(join(root, 'claude/settings.json'))).toBe(false)
})

test('setup can be repeated; undo keeps other entries, restores ours, and keeps later changes', () => {
  const mine = { permissions: { allow: ['Bash(ls:*)'] }, showThinkingSummaries: false }
  const file = join(root, 'claude/settings.json')
  writeFileSync(file, JSON.stringify(mine, null, 4))
  setUp({ ...options, withThinking: true })
  setUp({ ...options, withThinking: true })
  expect(json('claude/settings.json')).toEqual({ ...mine, showThinkingSummaries: true })
  expect(readFileSync(file, 'utf8')).toContain('\n    "permissions"')
  expect(JSON.parse(readFileSync(`${file}.before-aspy`, 'utf8'))).toEqual(mine)

  undoSetUp(options.dataDir)
  expect(json('claude/settings.json')).toEqual(mine)
  expect(existsSync(join(root, 'claude/skills/aspy'))).toBe(false)
  expect(undoSetUp(options.dataDir)).toEqual([])

  setUp({ ...options, withThinking: true })
  writeFileSync(file, JSON.stringify({ showThinkingSummaries: 'always' }))
  expect(undoSetUp(options.dataDir)).toContain(`kept your change: showThinkingSummaries in ${file}`)
  expect(json('claude/settings.json')).toEqual({ showThinkingSummaries: 'always' })
})

test('a plugin folder of another program and invalid settings cause an error and stay unchanged', () => {
  mkdirSync(join(root, 'claude/skills/aspy'), { recursive: true })
  expect(() => setUp(options)).toThrow('was not installed by Aspy')
  rmSync(join(root, 'claude/skills'), { recursive: true })
  writeFileSync(join(root, 'claude/settings.json'), '{ "a": 1, // comment\n}')
  expect(() => setUp({ ...options, withThinking: true })).toThrow('is not valid JSON')
  expect(readFileSync(join(root, 'claude/settings.json'), 'utf8')).toContain('// comment')
})

test.each(['{"plugins', '{}', '[1]'])('a damaged record of what setup changed (%s) is named, and kept', (text) => {
  const file = join(root, 'data/setup.json')
  writeFileSync(file, text)
  expect(() => undoSetUp(join(root, 'data'))).toThrow(`${file}, which says what setup changed, is damaged; delete it`)
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('a settings file behind a symbolic link keeps its link and its mode; undo restores its bytes', () => {
  const kept = join(root, 'dotfiles.json')
  writeFileSync(kept, '{"model":"opus"}')
  chmodSync(kept, 0o640)
  symlinkSync(kept, join(root, 'claude/settings.json'))
  setUp({ ...options, withThinking: true })
  expect(JSON.parse(readFileSync(kept, 'utf8'))).toEqual({ model: 'opus', showThinkingSummaries: true })
  undoSetUp(options.dataDir)
  expect(readFileSync(kept, 'utf8')).toBe('{"model":"opus"}')
  expect(lstatSync(join(root, 'claude/settings.json')).isSymbolicLink()).toBe(true)
  expect(statSync(kept).mode & 0o777).toBe(0o640)
  expect(readdirSync(join(root, 'claude'))).toEqual(['settings.json'])
})

test.each([
  ['nothing', ''],
  ['a byte order mark', '\uFEFF{"a":1}\n'],
  ['CRLF', '{\r\n  "a": 1\r\n}\r\n'],
  ['no newline at its end', '{"a":1}'],
  ['an empty env', '{ "env": {}, "a": 1 }\n'],
  ['an env of null', '{"env":null}'],
  ['a key twice', '{"a":1,"a":2,"env":{"NO_PROXY":"x","NO_PROXY":"y"}}'],
  ['numbers as nobody prints them', '{"n":12345678901234567890,"f":1.0,"e":1e3,"s":"\\u00fc"}'],
  ['our values already', '{"env":{"HTTPS_PROXY":"ours"}}'],
])('undo restores a settings file with %s byte for byte', (_, text) => {
  const file = join(root, 'claude/settings.json')
  writeFileSync(file, text)
  for (const name of ['HTTPS_PROXY', 'NO_PROXY'])
    changeSetting(options.dataDir, { file, path: ['env', name], after: 'ours' })
  expect(readFileSync(file, 'utf8')).not.toBe(text)
  undoSetUp(options.dataDir)
  expect(readFileSync(file, 'utf8')).toBe(text)
  expect(readdirSync(join(root, 'claude'))).toEqual(['settings.json'])
})

test.each([
  ['a comment', (text: string) => text.replace('{', '{\n  // mine')],
  ['another order', (text: string) => text.replace('"a": 1,\n  "b": 2', '"b": 2,\n  "a": 1')],
  ['tabs', (text: string) => text.replaceAll('  ', '\t')],
  ['other ends of lines', (text: string) => text.replaceAll('\n', '\r\n')],
])('undo takes ours out of settings that a person gave %s, and nothing else', (_, edited) => {
  const file = join(root, 'claude/settings.json')
  const original = '{\n  "a": 1,\n  "b": 2\n}\n'
  writeFileSync(file, original)
  setUp({ ...options, withThinking: true })
  writeFileSync(file, edited(readFileSync(file, 'utf8')))
  undoSetUp(options.dataDir)
  expect(readFileSync(file, 'utf8')).toBe(edited(original))
})

test.each(['{"env":[]}', '{"env":"x"}', '[]', 'null', '{,}'])(
  'settings of %s are refused and left as they are',
  (text) => {
    const file = join(root, 'claude/settings.json')
    writeFileSync(file, text)
    const change = () => changeSetting(options.dataDir, { file, path: ['env', 'NO_PROXY'], after: 'ours' })
    expect(change).toThrow(/JSON.*Nothing was changed/)
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect(undoSetUp(options.dataDir)).toEqual([])
  },
)

test('a link whose file does not exist yet stays a link, also after undo', () => {
  const link = join(root, 'claude/settings.json')
  symlinkSync('../dotfiles.json', link)
  setUp({ ...options, withThinking: true })
  expect(json('dotfiles.json')).toEqual({ showThinkingSummaries: true })
  undoSetUp(options.dataDir)
  expect([lstatSync(link).isSymbolicLink(), existsSync(join(root, 'dotfiles.json'))]).toEqual([true, false])
})

test('undo leaves nothing of ours: no copy of settings that were edited since, and no folder that setup made', () => {
  const claudeDir = join(root, 'new/claude')
  setUp({ ...options, claudeDir })
  undoSetUp(options.dataDir)
  expect(readdirSync(root)).toEqual(['claude', 'data'])

  const file = join(root, 'claude/settings.json')
  mkdirSync(join(root, 'claude/skills'))
  writeFileSync(file, '{"model":"opus"}')
  setUp({ ...options, withThinking: true })
  writeFileSync(file, readFileSync(file, 'utf8').replace('opus', 'sonnet'))
  undoSetUp(options.dataDir)
  expect(json('claude/settings.json')).toEqual({ model: 'sonnet' })
  expect([...readdirSync(join(root, 'claude')), ...readdirSync(options.dataDir)]).toEqual(['settings.json', 'skills'])
})

const OURS = `http://127.0.0.1:2780/aspy-path-${'s'.repeat(43)}`
const GATEWAY = 'https://gateway.example'

test.each([
  ['another address of this machine', OURS.replace('127.0.0.1', 'localhost'), GATEWAY],
  ['a slash at its end', `${OURS}/`, GATEWAY],
  ['the address of another Aspy', OURS.replace('sss', 'ttt'), OURS.replace('sss', 'ttt')],
  ['the address of another tool', 'http://127.0.0.1:4000', 'http://127.0.0.1:4000'],
])('of a base URL that became %s, undo leaves none that leads here', (_, edited, left) => {
  const file = join(root, 'claude/settings.json')
  writeFileSync(file, JSON.stringify({ env: { ANTHROPIC_BASE_URL: GATEWAY } }))
  changeSetting(options.dataDir, { file, path: ['env', 'ANTHROPIC_BASE_URL'], after: OURS })
  writeFileSync(file, readFileSync(file, 'utf8').replace(OURS, edited))
  const done = undoSetUp(options.dataDir)
  expect(json('claude/settings.json')).toEqual({ env: { ANTHROPIC_BASE_URL: left } })
  // What is not put back stays in the copy, which is named.
  const isKept = left !== GATEWAY
  expect(done.includes(`kept: ${file}.before-aspy, with what your change replaced`)).toBe(isKept)
  expect(existsSync(`${file}.before-aspy`)).toBe(isKept)
})
