import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../src/main/clients/claude-code/doctor/checks.ts'
import { freePort } from '../../support/runner/free-port.ts'
import { startAspy } from '../../support/app/aspy-command.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { ask } from '../../support/app/ask.ts'
import { startApp } from '../../support/app/start-app.ts'
import { endKeeper } from '../../support/keeper/end-keeper.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

const aspy = (home: string, args: readonly string[], env: Record<string, string> = {}) =>
  aspyHere([...args, '--data', join(home, 'data')], { PATH: '/usr/bin:/bin', HOME: home, ...env })

/** Another Aspy may run on the usual ports of this machine. */
const freePorts = async () => ({
  ASPY_APP_PORT: String(await freePort()),
  ASPY_PROXY_PORT: String(await freePort()),
})

describe('aspy setup', () => {
  test('sends neither hooks nor clients to a port of another program', async () => {
    using home = makeTempFolder()
    const taker = createServer().listen(0, '127.0.0.1')
    await once(taker, 'listening')
    const { port } = taker.address() as AddressInfo
    const [app, proxy] = [{ ASPY_APP_PORT: `${port}` }, { ASPY_PROXY_PORT: `${port}` }]
    const refused = async (args: readonly string[], env: Record<string, string>) => {
      const { code, stdout, stderr } = await aspy(home.path, args, env)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(new RegExp(`^aspy: port ${port} \\(.*\\) is taken; choose another with .*\\n$`))
      expect(['.claude', 'data'].filter((name) => existsSync(join(home.path, name)))).toEqual([])
    }
    await refused(['setup'], app)
    await refused(['setup', '--base-url'], { ...(await freePorts()), ...proxy })
    // Hooks do not use the proxy.
    expect(await aspy(home.path, ['setup'], { ...(await freePorts()), ...proxy })).toMatchObject({
      code: 0,
      stderr: '',
    })
    taker.close()
  })

  test('installs only the plugin, describes further options and their drawbacks, and can be undone', async () => {
    using home = makeTempFolder()
    mkdirSync(join(home.path, '.claude'))
    const state = join(home.path, '.claude.json')
    writeFileSync(state, '{"numStartups":3}')
    const env = { ...withSystemctl(home.path), ...(await freePorts()) }
    const { code, stdout, stderr } = await aspy(home.path, ['setup'], env)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/ask Claude .*asks whether .*"mcp__plugin_aspy_aspy" into permissions\.allow/)
    expect(stdout).toMatch(/plain claude is recorded in part/)
    expect(stdout).toContain(`plugin: ${join(home.path, '.claude/skills/aspy')}`)
    expect(stdout).toMatch(/--thinking .*no thinking to recall/)
    expect(stdout).toMatch(/--base-url .*Drawbacks: .*waits for minutes.*tool search/)
    expect(existsSync(join(home.path, '.claude/settings.json'))).toBe(false)

    const file = await aspy(home.path, ['setup', '--claude-dir', state], env)
    expect([file.code, file.stderr]).toEqual([
      2,
      `aspy: ${state} is not a folder; give that of Claude Code, by default ~/.claude. Nothing was changed\n`,
    ])

    const other = join(home.path, 'other')
    mkdirSync(other)
    const again = await aspy(home.path, ['setup', '--thinking', '--claude-dir', other, '--json'], env)
    expect(JSON.parse(again.stdout)).toEqual({
      done: [`plugin: ${other}/skills/aspy`, `thinking summaries: on in ${other}/settings.json`],
      offers: [expect.objectContaining({ flag: '--full' }), expect.objectContaining({ flag: '--base-url' })],
    })

    expect((await aspy(home.path, ['setup', '--undo'])).code).toBe(0)
    expect(existsSync(join(home.path, '.claude/skills/aspy'))).toBe(false)
    expect(existsSync(join(other, 'settings.json'))).toBe(false)
    expect((await aspy(home.path, ['setup', '--undo'])).stdout).toBe('Nothing to undo.\n')
    expect(readFileSync(state, 'utf8')).toBe('{"numStartups":3}')
  })

  // On other systems this would reach the real service manager.
  test.runIf(process.platform === 'linux')(
    'without a service manager no base URL is set, and nothing changes',
    async () => {
      using home = makeTempFolder()
      const nowhere = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent', XDG_RUNTIME_DIR: '/nonexistent' }
      const env = { ...nowhere, ...(await freePorts()) }
      const { code, stderr } = await aspy(home.path, ['setup', '--base-url'], env)
      expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot reach .*nothing was changed.*aspy run/)])
      expect(existsSync(join(home.path, '.claude'))).toBe(false)
      expect(existsSync(join(home.path, 'data'))).toBe(false)
      const { stdout } = await aspy(home.path, ['setup'], env)
      expect(stdout).toMatch(/alias claude='\S*aspy run --data \S+ -- claude'/)
      expect(stdout).not.toMatch(/--base-url|--full/)
      writeFileSync(join(home.path, 'data', 'lifestats.db'), '')
      expect((await aspy(home.path, ['setup', '--undo'])).stdout).toContain(`remain in ${join(home.path, 'data')}.`)
    },
  )
})

/** A minimal systemctl that starts and stops the unit. */
const SYSTEMCTL = `#!/bin/sh
echo "$@" >> "$HOME/systemctl.log"
unit="$HOME/.config/systemd/user/aspy.service"
case "$2" in
  restart)
    start=$(sed -n 's/^ExecStart=//p' "$unit")
    eval "exec $start" > /dev/null 2>&1 < /dev/null &
    echo $! > "$HOME/service.pid" ;;
  disable) case "$*" in *--now*) kill "$(cat "$HOME/service.pid")" ;; esac ;;
esac
`

/** Puts it on the PATH. */
function withSystemctl(home: string): { PATH: string } {
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin', 'systemctl'), SYSTEMCTL, { mode: 0o755 })
  return { PATH: `${join(home, 'bin')}:/usr/bin:/bin` }
}

test.runIf(process.platform === 'linux')(
  'setup --base-url starts a service; a gateway in the settings stays that of its clients; undo restores the files, and leaves it to clients that run',
  async () => {
    using home = makeTempFolder()
    await using usual = await startMessagesUpstream(() => ({ steps: [{ text: 'usual' }] }))
    await using gateway = await startMessagesUpstream(() => ({ steps: [{ text: 'gateway' }] }))
    const app = await freePort()
    const proxy = await freePort()
    for (const folder of ['data', '.claude']) mkdirSync(join(home.path, folder))
    const env = withSystemctl(home.path)
    writeFileSync(join(home.path, 'bin', 'claude'), '#!/bin/sh\necho "$ANTHROPIC_BASE_URL $*"\n', { mode: 0o755 })
    const config = `# mine\n[proxy]\nport = ${proxy}\nupstream = "${usual.url}"\n[app]\nport = ${app}\n`
    writeFileSync(join(home.path, 'data', 'config.toml'), config)
    const settings = `{"env":{"ANTHROPIC_BASE_URL":"${gateway.url}"}}`
    writeFileSync(join(home.path, '.claude', 'settings.json'), settings)
    try {
      const { code, stderr, stdout } = await aspy(home.path, ['setup', '--base-url'], env)
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain(`base URL: http://127.0.0.1:${proxy}`)
      expect(JSON.parse(readFileSync(join(home.path, '.claude', 'settings.json'), 'utf8'))).toEqual({
        env: {
          ANTHROPIC_BASE_URL: expect.stringMatching(
            `^http://127.0.0.1:${proxy}/aspy-path-[\\w-]{43}/aspy-to-[0-9a-f]{32}$`,
          ),
        },
      })
      const written = () => readFileSync(join(home.path, '.claude', 'settings.json'), 'utf8')
      const before = written()
      const rotated = await aspy(home.path, ['setup', '--rotate'], env)
      expect(rotated).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('base URL: updated in') })
      expect(written()).not.toBe(before)
      expect(rotated.stdout + stdout).not.toContain('aspy-path-')
      const health = await aspy(home.path, ['doctor', '--json'], env)
      expect(health.stdout).not.toContain('aspy-path-')
      expect(health.stdout).toContain('every client goes through Aspy')
      const { env: set } = JSON.parse(written()) as { readonly env: { readonly ANTHROPIC_BASE_URL: string } }
      const base = set.ANTHROPIC_BASE_URL
      const answer = async (url: string) => (await ask(url, { prompt: 'Which?', session: 's-1' })).text()
      expect(await answer(base)).toContain('gateway')
      expect(await answer(base.replace(/\/aspy-to-.*/, ''))).toContain('usual')
      expect([gateway.count('messages'), usual.count('messages')]).toEqual([1, 1])
      // A run keeps what the settings say.
      const command = ['run', '--data', join(home.path, 'data'), '--', 'claude', '-p']
      const run = await startAspy(command, env, home.path).finished
      expect(run).toMatchObject({ code: 0, stdout: `${base} -p\n` })
      const full = await startAspy(['run', '--full', ...command.slice(1)], env, home.path).finished
      expect([full.code, full.stderr]).toEqual([
        1,
        expect.stringContaining(`sends Claude Code to ${gateway.url}, which`),
      ])
    } finally {
      await aspy(home.path, ['setup', '--undo'], env)
    }
    expect(readFileSync(join(home.path, '.claude', 'settings.json'), 'utf8')).toBe(settings)
    expect(readFileSync(join(home.path, 'data', 'config.toml'), 'utf8')).toBe(config)
    expect(existsSync(join(home.path, '.config/systemd/user/aspy.service'))).toBe(false)
    // A client that has used it may still run.
    await endKeeper(join(home.path, 'data'))
    expect(existsSync(join(home.path, 'data', 'app.json'))).toBe(false)
  },
)

describe('aspy doctor', () => {
  test('--fix does what can be undone, says how, and leaves the rest to the person', async () => {
    using home = makeTempFolder()
    await aspy(home.path, ['setup'])
    const data = join(home.path, 'data')
    chmodSync(data, 0o755)
    const env = { ASPY_APP_PORT: '4444', HTTPS_PROXY: 'http://x:1' }
    const advised = await aspy(home.path, ['doctor'], env)
    expect(advised.stdout).toMatch(/aspy doctor --fix --data \S+ does what can be undone of this\.\n$/)
    const { stdout, code } = await aspy(home.path, ['doctor', '--fix'], env)
    expect(stdout).toMatch(/^fixed {4}data folder {4}chmod 700 .*data'?\n.*→ to undo: chmod 755 .*data'?\n/)
    expect(stdout).toMatch(/\nfixed {4}plugin {9}aspy setup\n.*→ to undo: .*aspy setup --data \S+ --undo\n/)
    expect(stdout).toMatch(/\nok {7}data folder /)
    expect(stdout).toMatch(/\nok {7}plugin /)
    expect(stdout).toMatch(/\nwarning {2}network proxy /)
    expect([code, statSync(data).mode & 0o777]).toEqual([0, 0o700])
    const again = await aspy(home.path, ['doctor', '--fix', '--json'], env)
    expect(JSON.parse(again.stdout)).toMatchObject({ fixed: [], items: expect.any(Array) })
  })

  async function doctor(home: string, env: Record<string, string> = {}) {
    const { code, stdout, stderr } = await aspy(home, ['doctor', '--json'], env)
    expect(stderr).toBe('')
    const { items } = JSON.parse(stdout) as { items: Finding[] }
    return { code, items, of: (check: string) => items.find((item) => item.check === check) }
  }

  test('reports problems and how to fix them', async () => {
    using home = makeTempFolder()
    await aspy(home.path, ['setup'])
    const taker = createServer()
    await once(taker.listen(0, '127.0.0.1'), 'listening')
    const { port } = taker.address() as AddressInfo
    chmodSync(join(home.path, 'data', 'token'), 0o644)
    writeFileSync(join(home.path, 'data', 'lifestats.db'), 'this is not a database, whatever its name says')
    const hooks = { Stop: [{ hooks: [{ type: 'command', command: 'npx aspy hook' }] }] }
    const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1', CLAUDE_CODE_USE_BEDROCK: '1' }
    writeFileSync(join(home.path, '.claude', 'settings.json'), JSON.stringify({ hooks, env }))
    const { code, of } = await doctor(home.path, { ASPY_PROXY_PORT: String(port), HTTPS_PROXY: 'http://x:1' })
    taker.close()
    expect(code).toBe(1)
    expect(of('data folder')).toMatchObject({ verdict: 'failure', mend: expect.stringContaining('chmod 600') })
    expect(of('ports')).toMatchObject({ verdict: 'failure', said: expect.stringContaining(String(port)) })
    expect(of('base URL')).toMatchObject({ verdict: 'failure', said: expect.stringContaining('settings.json') })
    expect(of('network proxy')).toMatchObject({ verdict: 'warning' })
    expect(of('hooks')).toMatchObject({ verdict: 'warning', said: expect.stringContaining('settings.json') })
    expect(of('cloud')).toMatchObject({ verdict: 'warning', said: expect.stringContaining('Bedrock') })
    expect(of('database')).toMatchObject({ verdict: 'failure', said: expect.stringMatching(/not a database/) })
    expect(of('plugin')).toMatchObject({ verdict: 'ok' })
    // The port has changed since the plugin was installed.
    expect((await doctor(home.path, { ASPY_APP_PORT: '4444' })).of('plugin')).toMatchObject({
      verdict: 'failure',
      mend: expect.stringMatching(/^(?:\S*\/bin\/)?aspy setup --data \S+$/),
    })
  })

  test('reports no problems for a running app', async () => {
    using home = makeTempFolder()
    await using app = await startApp({ upstream: 'http://127.0.0.1:1', dataDir: join(home.path, 'data') })
    await aspy(home.path, ['setup', '--thinking'])
    const { code, items, of } = await doctor(home.path, { ANTHROPIC_BASE_URL: app.proxy })
    expect([code, items.filter(({ verdict }) => verdict === 'failure')]).toEqual([0, []])
    expect(of('app')).toMatchObject({ verdict: 'ok', said: expect.stringContaining(app.app) })
    expect(of('base URL')).toMatchObject({ verdict: 'ok', said: expect.stringContaining('through Aspy') })
    for (const check of ['node', 'data folder', 'plugin', 'hooks', 'thinking', 'database'])
      expect(of(check), check).toMatchObject({ verdict: 'ok' })
  })
})
