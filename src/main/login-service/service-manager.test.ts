import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runProgram } from './run-program.ts'
import { serviceManagerOf } from './service-manager.ts'

let home = ''
let calls: string[] = []
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'aspy-service-'))
  calls = []
})
afterEach(() => rmSync(home, { recursive: true }))

const service = { command: ['/node', '/aspy', 'serve'] as const, env: {}, logFile: '/log' }
const managerOn = (platform: NodeJS.Platform, failing = /never/) =>
  serviceManagerOf({
    platform,
    home,
    uid: 501,
    env: { LOCALAPPDATA: join(home, 'Local'), USERDOMAIN: 'PC', USERNAME: 'me' },
    run: (program, args) => {
      const call = [program, ...args].join(' ')
      calls.push(call)
      return Promise.resolve({ ok: !failing.test(call), output: 'said why' })
    },
  })

const systems = [
  ['linux', '.config/systemd/user/aspy.service', /enable aspy\.service/, /disable --now --no-block aspy\.service/],
  ['darwin', 'Library/LaunchAgents/dev.aspy.serve.plist', /bootstrap gui\/501/, /bootout gui\/501\/dev\.aspy\.serve/],
  ['win32', 'Local/aspy/aspy-task.xml', /schtasks \/Create \/TN Aspy \/XML/, /schtasks \/Delete \/TN Aspy \/F/],
] as const

test.each(systems)(
  'on %s the service file is private; the service is started and can be removed',
  async (platform, path, up, down) => {
    const manager = managerOn(platform)
    expect(await manager?.isReachable()).toBe(true)
    await manager?.install(service)
    const file = join(home, path)
    expect(manager?.file).toBe(file)
    expect(readFileSync(file).toString(platform === 'win32' ? 'utf16le' : 'utf8')).toContain('/aspy')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(calls.join('\n')).toMatch(up)
    expect(await manager?.disable()).toBe(true)
    expect(calls.at(-1)).not.toMatch(/--now|bootout|End/)
    await manager?.remove(true)
    expect(existsSync(file)).toBe(false)
    expect(calls.join('\n')).not.toMatch(/--now|End|bootout[^]*bootstrap[^]*bootout/)
    await manager?.remove(false)
    expect(existsSync(file)).toBe(false)
    expect(calls.join('\n')).toMatch(down)
  },
)

test('on linux, a service that no longer starts is not disabled again', async () => {
  const manager = managerOn('linux', /is-enabled/)
  await manager?.install(service)
  expect(await manager?.disable()).toBe(false)
})

test.each(systems)('on %s an unreachable manager or a service that does not start is reported', async (platform) => {
  expect(await managerOn(platform, /./)?.isReachable()).toBe(false)
  await expect(managerOn(platform, /restart|bootstrap|Create/)?.install(service)).rejects.toThrow('said why')
})

test('other systems have no service manager', () => expect(managerOn('freebsd')).toBeNull())

test('a program that is missing or fails is not ok', async () => {
  expect(await runProgram('aspy-no-such-program', [])).toMatchObject({
    ok: false,
    output: expect.stringContaining('ENOENT'),
  })
  expect(await runProgram(process.execPath, ['-e', 'console.error("why"); process.exit(3)'])).toEqual({
    ok: false,
    output: 'why',
  })
  expect(await runProgram(process.execPath, ['-p', '1'])).toEqual({ ok: true, output: '1\n' })
})
