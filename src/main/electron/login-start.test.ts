import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { applyLoginStart, autostartEntry, type LoginItems } from './login-start.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'aspy-login-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const noItems: LoginItems = {
  getLoginItemSettings: () => {
    throw new Error('not on this system')
  },
  setLoginItemSettings: () => {
    throw new Error('not on this system')
  },
}

test('on Linux an autostart entry is created and removed', () => {
  const file = join(home, '.config/autostart/aspy.desktop')
  const on = { platform: 'linux', home, env: {}, command: ['/opt/Aspy/aspy'], items: noItems } as const
  applyLoginStart(false, on)
  expect(existsSync(file)).toBe(false)
  applyLoginStart(true, on)
  expect(readFileSync(file, 'utf8')).toContain('Exec="/opt/Aspy/aspy" "--hidden"\n')
  writeFileSync(file, 'an entry of an older version')
  applyLoginStart(true, { ...on, env: { APPIMAGE: '/home/me/Aspy.AppImage' } })
  expect(readFileSync(file, 'utf8')).toContain('Exec="/home/me/Aspy.AppImage" "--hidden"\n')
  applyLoginStart(false, on)
  expect(existsSync(file)).toBe(false)
})

test('an entry quotes every argument exactly', () => {
  expect(autostartEntry(['/o "p" $t/100%', String.raw`a\b`])).toContain(
    String.raw`Exec="/o \\"p\\" \\$t/100%%" "a\\\\b"`,
  )
})

test.each(['darwin', 'win32'] as const)('on %s the login item is changed only if it differs', (platform) => {
  const calls: unknown[] = []
  let isOn = false
  const items: LoginItems = {
    getLoginItemSettings: () => ({ openAtLogin: isOn }),
    setLoginItemSettings: (settings) => {
      calls.push(settings)
      isOn = settings.openAtLogin
    },
  }
  const on = { platform, home, env: {}, command: ['/aspy', '/app'], items } as const
  for (const isWanted of [false, true, true, false]) applyLoginStart(isWanted, on)
  const item = { path: '/aspy', args: ['/app', '--hidden'] }
  expect(calls).toEqual([
    { ...item, openAtLogin: true },
    { ...item, openAtLogin: false },
  ])
})
