import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Finding } from '../../../src/main/clients/claude-code/doctor/checks.ts'
import { startAspy } from '../../support/app/aspy-command.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { freePort } from '../../support/runner/free-port.ts'
import { endKeeper } from '../../support/keeper/end-keeper.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { askForTunnel, beginTls } from '../../support/tunnel/tunnel-under-test.ts'

/** A minimal systemctl that starts and stops the unit. */
const SYSTEMCTL = `#!/bin/sh
unit="$HOME/.config/systemd/user/aspy.service"
case "$2" in
  restart)
    if [ -f "$HOME/service.pid" ]; then
      old=$(cat "$HOME/service.pid")
      kill "$old"
      while kill -0 "$old" 2> /dev/null; do sleep 0.1; done
    fi
    start=$(sed -n 's/^ExecStart=//p' "$unit")
    eval "exec $start" > /dev/null 2>&1 < /dev/null &
    echo $! > "$HOME/service.pid" ;;
  disable) case "$*" in *--now*) kill "$(cat "$HOME/service.pid")" ;; esac ;;
esac
`

test.runIf(process.platform === 'linux')(
  'setup --full serves the tunnel from login on; doctor shakes hands with it; undo restores every byte',
  async () => {
    using home = makeTempFolder('aspy-full-')
    const aspy = (args: readonly string[], more: Record<string, string> = {}) =>
      startAspy(
        [...args, '--data', join(home.path, 'data')],
        { PATH: `${join(home.path, 'bin')}:/usr/bin:/bin`, HTTPS_PROXY: 'http://corp.example:3128', ...more },
        home.path,
      ).finished
    const [app, proxy, tunnel] = [await freePort(), await freePort(), await freePort()]
    for (const folder of ['bin', 'data', '.claude']) mkdirSync(join(home.path, folder))
    writeFileSync(join(home.path, 'bin', 'systemctl'), SYSTEMCTL, { mode: 0o755 })
    const configFile = join(home.path, 'data', 'config.toml')
    const settingsFile = join(home.path, '.claude', 'settings.json')
    const config = `# mine, without a last newline\n[app]\nport = ${app}\n[proxy] # kept\nport   = ${proxy}\ntunnel_port = ${tunnel}`
    const settings = '{"env" : {"NO_PROXY":"*,git.corp", "MINE":"1"},\n\t"model":"opus"}'
    writeFileSync(configFile, config)
    writeFileSync(settingsFile, settings)
    const finding = async () => {
      const { stdout } = await aspyHere(['doctor', '--json', '--data', join(home.path, 'data')], {
        PATH: '/usr/bin:/bin',
        HOME: home.path,
      })
      expect(stdout).not.toContain('aspy-tunnel-')
      return (JSON.parse(stdout) as { items: Finding[] }).items.find(({ check }) => check === 'tunnel')
    }
    let [key, trusted, undone] = ['', '', '']
    try {
      const { code, stderr, stdout } = await aspy(['setup', '--full'])
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).not.toContain('aspy-tunnel-')
      const { env, model } = JSON.parse(readFileSync(settingsFile, 'utf8')) as {
        env: Record<string, string>
        model: string
      }
      expect([model, env['MINE']]).toEqual(['opus', '1'])
      expect(env).toMatchObject({
        HTTPS_PROXY: expect.stringMatching(`^http://aspy:aspy-tunnel-[\\w-]{43}@127\\.0\\.0\\.1:${tunnel}$`),
        NODE_EXTRA_CA_CERTS: join(home.path, 'data', 'ca.pem'),
        // What would bypass the tunnel for the API's host is left out.
        NO_PROXY: 'git.corp,127.0.0.1,localhost,::1',
      })
      const roots = readFileSync(env['SSL_CERT_FILE'] ?? '', 'utf8')
      expect(roots).toContain(readFileSync(join(home.path, 'data', 'ca.pem'), 'utf8').trim())
      expect(roots.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(10)
      const unit = join(home.path, '.config/systemd/user/aspy.service')
      expect(readFileSync(unit, 'utf8')).toContain('HTTPS_PROXY=http://corp.example:3128')
      expect(statSync(join(home.path, 'data', 'tunnel-key')).mode & 0o777).toBe(0o600)

      key = new URL(env['HTTPS_PROXY'] ?? '').password
      trusted = readFileSync(env['NODE_EXTRA_CA_CERTS'] ?? '', 'utf8')
      const secure = await beginTls(await askForTunnel(tunnel, 'api.anthropic.com:443', key), { ca: trusted })
      expect(secure.authorized).toBe(true)
      secure.destroy()
      expect(await finding()).toMatchObject({ verdict: 'ok', said: expect.stringContaining(settingsFile) })

      // Again: nothing of ours is taken for the network's own.
      expect((await aspy(['setup', '--full'])).code).toBe(0)
      expect(JSON.parse(readFileSync(settingsFile, 'utf8'))).toMatchObject({ env })
      expect(readFileSync(unit, 'utf8')).toContain('HTTPS_PROXY=http://corp.example:3128')

      const changed = JSON.stringify({ env: { ...env, NODE_EXTRA_CA_CERTS: undefined }, model })
      const whole = readFileSync(settingsFile, 'utf8')
      writeFileSync(settingsFile, changed)
      expect(await finding()).toMatchObject({
        verdict: 'failure',
        said: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
      })
      writeFileSync(settingsFile, whole.replaceAll(key, `aspy-tunnel-${'x'.repeat(43)}`))
      expect(await finding()).toMatchObject({ verdict: 'failure', said: expect.stringContaining('key') })
      writeFileSync(settingsFile, whole.replace('data/ca.pem', 'data/none.pem'))
      expect(await finding()).toMatchObject({ verdict: 'failure', said: expect.stringContaining('does not exist') })
      writeFileSync(settingsFile, whole.replace('data/ca.pem', 'bin/other.pem'))
      writeFileSync(join(home.path, 'bin', 'other.pem'), '')
      expect(await finding()).toMatchObject({
        verdict: 'failure',
        said: expect.stringContaining('a different authority'),
      })
      writeFileSync(settingsFile, whole.replaceAll(`:${tunnel}`, ':1'))
      expect(await finding()).toMatchObject({ verdict: 'failure', said: expect.stringContaining('nothing serves') })
      writeFileSync(settingsFile, whole)
    } finally {
      undone = (await aspy(['setup', '--undo'])).stdout
    }
    expect(readFileSync(settingsFile, 'utf8')).toBe(settings)
    expect(readFileSync(configFile, 'utf8')).toBe(config)
    expect(existsSync(join(home.path, '.config/systemd/user/aspy.service'))).toBe(false)
    // A client that has used it may still run.
    expect(undone).toContain('Clients that run now go on')
    const left = () => readdirSync(join(home.path, 'data'))
    expect(left()).toEqual(expect.arrayContaining(['tunnel-key', 'trust']))
    ;(await beginTls(await askForTunnel(tunnel, 'api.anthropic.com:443', key), { ca: trusted })).destroy()
    await endKeeper(join(home.path, 'data'))
    expect((await aspy(['setup', '--undo'])).stdout).toContain('removed: the key of the tunnel')
    for (const name of ['tunnel-key', 'trust', 'setup.json']) expect(left()).not.toContain(name)
    await expect.poll(() => existsSync(join(home.path, 'data', 'app.json'))).toBe(false)
  },
)

test.runIf(process.platform === 'linux')(
  'setup --full chooses a port where none is set, and undo forgets it',
  async () => {
    using home = makeTempFolder('aspy-full-')
    const aspy = (args: readonly string[], systemctl = '') => {
      mkdirSync(join(home.path, 'bin'), { recursive: true })
      rmSync(join(home.path, 'bin', 'systemctl'), { force: true })
      writeFileSync(join(home.path, 'bin', 'systemctl'), `#!/bin/sh\n${systemctl}`, { mode: 0o755 })
      return aspyHere([...args, '--data', join(home.path, 'data')], {
        PATH: `${join(home.path, 'bin')}:/usr/bin:/bin`,
        HOME: home.path,
      })
    }
    const unreachable = await aspy(['setup', '--full'], 'exit 1\n')
    expect(unreachable).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot reach .*nothing was changed.*run --data .* --full/),
    })
    const failing = await aspy(['setup', '--full'], 'case "$2" in show-environment) exit 0;; esac; exit 1\n')
    expect(failing).toMatchObject({ code: 1, stderr: expect.stringContaining('could not start the login service') })
    const both = await aspy(['setup', '--full', '--base-url'], 'exit 0\n')
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('choose either') })
    expect(existsSync(join(home.path, '.claude', 'settings.json'))).toBe(false)
    for (const name of ['config.toml', 'setup.json', 'tunnel-key'])
      expect(existsSync(join(home.path, 'data', name)), name).toBe(false)
  },
)
