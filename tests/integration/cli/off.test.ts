import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeSetting } from '../../../src/main/clients/claude-code/setup/settings-change.ts'
import { startAspy } from '../../support/app/aspy-command.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'

const BASE_URL = `http://127.0.0.1:2780/aspy-path-${'s'.repeat(43)}`
const PROXY = `http://aspy:aspy-tunnel-${'k'.repeat(43)}@127.0.0.1:2781`
/** No service manager is reached. */
const ALONE = {
  PATH: '/nonexistent',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
  XDG_RUNTIME_DIR: '/nonexistent',
}

let home: TempFolder
let file: string
let data: string
beforeEach(() => {
  home = makeTempFolder('aspy-off-')
  file = join(home.path, '.claude/settings.json')
  data = join(home.path, 'data')
  mkdirSync(join(home.path, '.claude'))
})
afterEach(() => home.remove())

const off = (...flags: string[]) => startAspy(['off', '--data', data, ...flags], ALONE, home.path).finished
const settings = () => JSON.parse(readFileSync(file, 'utf8')) as unknown

test('without a data folder, what leads to Aspy is removed, and nothing else', async () => {
  const trust = join(data, 'trust/system-and-aspy.pem')
  const mine = { MINE: '1', NO_PROXY: 'example.org', CURL_CA_BUNDLE: '/etc/ssl/trust/own.crt' }
  const ours = { ANTHROPIC_BASE_URL: BASE_URL, HTTPS_PROXY: PROXY, https_proxy: PROXY, SSL_CERT_FILE: trust }
  const assumed = { _CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL: '1' }
  writeFileSync(file, JSON.stringify({ model: 'opus', env: { ...mine, ...ours, ...assumed }, hooks: {} }))
  const { code, stdout, stderr } = await off()
  expect([code, stderr]).toEqual([0, ''])
  for (const name of Object.keys(ours)) expect(stdout).toContain(`removed: env.${name} in ${file}`)
  expect(settings()).toEqual({ model: 'opus', env: mine, hooks: {} })
  expect(await off()).toMatchObject({ code: 0, stdout: 'No setting sends clients through Aspy.\n' })
})

test('settings with a mistake stop no client, and nothing that takes clients off Aspy', async () => {
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(join(data, 'config.toml'), '[proxy\nport = "x')
  writeFileSync(file, JSON.stringify({ env: { ANTHROPIC_BASE_URL: BASE_URL } }))
  const { code, stdout } = await off()
  expect([code, settings()]).toEqual([0, {}])
  expect(stdout).toContain('removed: env.ANTHROPIC_BASE_URL')
  const run = (...words: string[]) =>
    startAspy([...words.slice(0, 1), '--data', data, ...words.slice(1)], ALONE, home.path).finished
  expect(await run('status')).toMatchObject({ code: 3, stderr: '' })
  expect(await run('stop')).toMatchObject({ code: 0, stdout: 'Aspy is not running.\n' })
  expect(await run('setup', '--undo')).toMatchObject({ code: 0, stdout: 'Nothing to undo.\n', stderr: '' })
  expect((await run('setup')).code).toBe(2)
  const client = [process.execPath, '-e', 'console.log("ran"); process.exit(4)'] as const
  const ran = await run('run', '--', ...client)
  expect(ran).toMatchObject({ code: 4, stdout: 'ran\n' })
  expect(ran.stderr.replaceAll(/\s+/g, ' ')).toMatch(/config\.toml.*nothing is recorded, and no cap of \[guard\] holds/)
  // Nothing would take it to the address that it must go to.
  expect(await run('run', '--upstream', 'https://gateway.example', '--', ...client)).toMatchObject({
    code: 2,
    stdout: '',
  })
})

test('a gateway of the person, a proxy of the network and other addresses of this machine stay', async () => {
  const env = {
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:4000/v1',
    HTTPS_PROXY: 'http://me:secret@proxy:3128',
    NODE_EXTRA_CA_CERTS: '/corp/trust/root.pem.d/ca',
  }
  const text = `{ "env": ${JSON.stringify(env)} }`
  writeFileSync(file, text)
  expect((await off('--json')).stdout).toBe('{"done":[],"running":false}\n')
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('with the record of setup, what was there before comes back, and later edits stay', async () => {
  writeFileSync(file, '{"env": {"ANTHROPIC_BASE_URL": "https://gateway.example"}}')
  changeSetting(data, { file, path: ['env', 'ANTHROPIC_BASE_URL'], after: BASE_URL })
  changeSetting(data, { file, path: ['showThinkingSummaries'], after: true })
  writeFileSync(file, JSON.stringify({ ...(settings() as object), model: 'opus' }))
  expect((await off()).stdout).toContain(`restored: env.ANTHROPIC_BASE_URL in ${file}`)
  expect(settings()).toEqual({
    env: { ANTHROPIC_BASE_URL: 'https://gateway.example' },
    showThinkingSummaries: true,
    model: 'opus',
  })
})

test('Codex keeps its MCP server, and goes to its own API', async () => {
  const begin = '# >>> added by aspy setup --codex; aspy setup --undo removes it\n'
  const end = '# <<< aspy\n'
  const rest = `model = "gpt-5"\n${begin}[mcp_servers.aspy]\ncommand = "aspy"\n${end}`
  const config = join(home.path, '.codex/config.toml')
  mkdirSync(join(home.path, '.codex'))
  writeFileSync(config, `${begin}openai_base_url = "${BASE_URL}/openai/v1"\n${end}${rest}`)
  expect((await off()).stdout).toContain(`removed: openai_base_url in ${config}`)
  expect(readFileSync(config, 'utf8')).toBe(rest)
})

test('edits of the person keep their bytes, and a file that cannot be read keeps nothing else on Aspy', async () => {
  const url = `"ANTHROPIC_BASE_URL": "${BASE_URL}"`
  writeFileSync(file, `{\n\t// mine\n\t"env": {\n\t\t"A": "1",\n\t\t${url},\n\t},\n\t"list": [1,   2],\n}`)
  expect(await off()).toMatchObject({ code: 0, stderr: '' })
  const rest = '{\n\t// mine\n\t"env": {\n\t\t"A": "1",\n\t},\n\t"list": [1,   2],\n}'
  expect(readFileSync(file, 'utf8')).toBe(rest)

  const broken = `{"env": {${url}`
  writeFileSync(file, broken)
  mkdirSync(join(home.path, '.codex'))
  const config = join(home.path, '.codex/config.toml')
  writeFileSync(
    config,
    `# >>> added by aspy setup --codex; aspy setup --undo removes it\nopenai_base_url = "${BASE_URL}/openai/v1"\n# <<< aspy\n`,
  )
  const { code, stdout, stderr } = await off()
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(
      /^removed: openai_base_url in .*\nWhat is recorded stays\. .*aspy run --data \S+ still records one client; .*aspy setup --data \S+ connects all again\.\n$/,
    ),
  ])
  expect(stderr).toContain(`${file} is not valid JSON`)
  expect(readFileSync(file, 'utf8')).toBe(broken)
})
