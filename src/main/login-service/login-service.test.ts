import { expect, test } from 'vitest'
import { launchAgent, scheduledTask, systemdUnit, type LoginService } from './login-service.ts'

const service: LoginService = {
  command: ['/opt/node 24/bin/node', '/opt/as"py$HOME/100%/bin', 'serve', '--data', '/home/me/<data> & more'],
  env: { HTTPS_PROXY: 'http://me:p%40$s@proxy:3128' },
  logFile: '/home/me/serve.log',
}

test('a systemd unit starts exactly these arguments: variables, specifiers and quotes in them are escaped', () => {
  const unit = systemdUnit(service)
  expect(unit).toContain(
    String.raw`ExecStart="/opt/node 24/bin/node" "/opt/as\"py$$HOME/100%%/bin" "serve" "--data" "/home/me/<data> & more"`,
  )
  expect(unit).toContain('Environment="HTTPS_PROXY=http://me:p%%40$s@proxy:3128"\n')
  expect(unit).toMatch(/StartLimitIntervalSec=0\n[^]*Restart=on-failure\nRestartSec=1\nKillMode=process\n/)
  expect(unit).toMatch(/\[Install\]\nWantedBy=default\.target\n$/)
})

test('a launchd agent contains each argument as a separate string', () => {
  const plist = launchAgent(service)
  const words = [...plist.matchAll(/^ {4}<string>(.*)<\/string>$/gm)].map(([, word]) => word)
  expect(words).toEqual([
    '/opt/node 24/bin/node',
    '/opt/as&quot;py$HOME/100%/bin',
    'serve',
    '--data',
    '/home/me/&lt;data&gt; &amp; more',
  ])
  expect(plist).toContain('<key>HTTPS_PROXY</key><string>http://me:p%40$s@proxy:3128</string>')
  expect(plist).toContain('<key>StandardErrorPath</key><string>/home/me/serve.log</string>')
})

test('a Windows task starts when its user logs in, and quotes arguments with spaces', () => {
  const task = scheduledTask(
    { ...service, command: [String.raw`C:\Program Files\node.exe`, String.raw`C:\aspy\bin`, String.raw`D:\my data\\`] },
    String.raw`PC\me & you`,
  )
  expect(task).toContain(
    String.raw`<Arguments>--headless &quot;C:\Program Files\node.exe&quot; C:\aspy\bin &quot;D:\my data\\\\&quot;</Arguments>`,
  )
  expect(task).toContain(String.raw`<LogonTrigger><UserId>PC\me &amp; you</UserId></LogonTrigger>`)
})
