import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { undoSetUp } from '../../../src/main/clients/claude-code/setup/setup.ts'
import { commandState, putCommand, removeCommand, type CommandPlace } from '../../../src/main/clients/path-command.ts'

/** A home with an app whose Node says what it was given. */
function home(path: string, platform: NodeJS.Platform = 'linux') {
  const program = join(path, "Ada's Apps", 'node')
  mkdirSync(join(path, "Ada's Apps"), { recursive: true })
  writeFileSync(program, '#!/bin/sh\nprintf "%s|" "$@"\n')
  chmodSync(program, 0o755)
  const data = join(path, 'data')
  const place = (env: CommandPlace['env'] = {}): CommandPlace => ({
    platform,
    env,
    home: path,
    aspy: [program, '/opt/aspy/bin/aspy'],
  })
  return { data, place, file: join(path, '.local/bin/aspy') }
}

test.each(['linux', 'darwin'] as const)('on %s, the command runs as typed, and leaves nothing', (platform) => {
  using folder = makeTempFolder()
  const { data, place, file } = home(folder.path, platform)
  const onPath = place({ PATH: `/usr/bin:${join(folder.path, '.local/bin')}/:` })
  expect(commandState(data, onPath)).toEqual({ state: 'absent', file, note: null })
  expect(putCommand(data, onPath)).toEqual([`command: ${file}`])
  expect(commandState(data, onPath)).toEqual({ state: 'installed', file, note: null })
  expect(execFileSync(file, ['run', 'two words', '$HOME'], { encoding: 'utf8' })).toBe(
    '/opt/aspy/bin/aspy|run|two words|$HOME|',
  )
  expect(statSync(file).mode & 0o111).toBe(0o111)
  expect(putCommand(data, onPath)).toEqual([])
  expect(undoSetUp(data)).toEqual([`removed: ${file}`])
  expect(existsSync(join(folder.path, '.local'))).toBe(false)
  expect(existsSync(join(data, 'setup.json'))).toBe(false)
})

test('says that its folder is not on the PATH, or that another aspy comes first', () => {
  using folder = makeTempFolder()
  const { data, place, file } = home(folder.path)
  putCommand(data, place({ PATH: '/usr/bin' }))
  const own = join(folder.path, '.local/bin')
  expect(commandState(data, place({ PATH: '/usr/bin' })).note).toContain(`export PATH="${own}:$PATH"`)
  expect(commandState(data, place()).note).toContain('is not on the PATH')
  const other = join(folder.path, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'aspy'), '')
  const env = { PATH: `${other}:${own}` }
  expect(commandState(data, place(env)).note).toBeNull()
  chmodSync(join(other, 'aspy'), 0o755)
  expect(commandState(data, place(env)).note).toContain(`finds ${join(other, 'aspy')} first`)
  expect(readFileSync(file, 'utf8')).toContain('exec ')
})

test('takes ~/bin if that is what the PATH has', () => {
  using folder = makeTempFolder()
  const { data, place } = home(folder.path)
  const env = { PATH: `/usr/bin:${join(folder.path, 'bin')}` }
  expect(commandState(data, place(env)).file).toBe(join(folder.path, 'bin/aspy'))
})

test('an app with another PATH, as from a desktop, finds the command where it was put', () => {
  using folder = makeTempFolder()
  const { data, place } = home(folder.path)
  const file = join(folder.path, 'bin/aspy')
  putCommand(data, place({ PATH: join(folder.path, 'bin') }))
  expect(commandState(data, place({ PATH: '/usr/bin' }))).toMatchObject({ state: 'installed', file })
  expect(putCommand(data, place())).toEqual([])
  expect(undoSetUp(data)).toEqual([`removed: ${file}`])
})

test('a write that fails leaves the command as it was', () => {
  using folder = makeTempFolder()
  const { data, place, file } = home(folder.path)
  putCommand(data, place())
  const before = readFileSync(file, 'utf8')
  // The name under which the new text is written first.
  symlinkSync('/nowhere', join(folder.path, `.local/bin/.aspy-${process.pid}`))
  expect(() => putCommand(data, { ...place(), aspy: ['/opt/node', '/opt/aspy'] })).toThrow('was not changed')
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(removeCommand(data)).toEqual([`removed: ${file}`])
})

test.each([
  ['a script of somebody else', (file: string) => writeFileSync(file, '#!/bin/sh\n')],
  ['an empty file', (file: string) => writeFileSync(file, '')],
  ['a link', (file: string) => symlinkSync('/bin/true', file)],
  ['a link that leads nowhere', (file: string) => symlinkSync(`${file}-gone`, file)],
  ['a folder', (file: string) => mkdirSync(file)],
])('never puts it over %s', (_what, make) => {
  using folder = makeTempFolder()
  const { data, place, file } = home(folder.path)
  mkdirSync(join(folder.path, '.local/bin'), { recursive: true })
  make(file)
  expect(commandState(data, place()).state).toBe('not_ours')
  expect(() => putCommand(data, place())).toThrow('was not written by Aspy')
  expect(removeCommand(data)).toEqual([])
  expect(existsSync(`${file}-gone`)).toBe(false)
  expect(existsSync(join(data, 'setup.json'))).toBe(false)
})

test('an app that was moved is noticed and updated; a file that was changed is left as it is', () => {
  using folder = makeTempFolder()
  const { data, place, file } = home(folder.path)
  putCommand(data, place())
  const moved = { ...place(), aspy: ['/Applications/Aspy.app/node', '/x/bin/aspy'] } as const
  expect(commandState(data, moved)).toMatchObject({ state: 'out_of_date' })
  putCommand(data, moved)
  expect(readFileSync(file, 'utf8')).toContain('exec /Applications/Aspy.app/node /x/bin/aspy "$@"')
  writeFileSync(file, '#!/bin/sh\necho mine\n')
  expect(commandState(data, moved)).toMatchObject({ state: 'not_ours' })
  expect(removeCommand(data)).toEqual([`left as it is: ${file}, which was changed since`])
  expect(readFileSync(file, 'utf8')).toBe('#!/bin/sh\necho mine\n')
})

const ON_WINDOWS = {
  platform: 'win32',
  home: 'C:\\Users\\Zoë Ångström',
  env: { LOCALAPPDATA: 'C:\\Users\\Zoë Ångström\\AppData\\Local' },
  aspy: [
    'C:\\Users\\Zoë Ångström\\AppData\\Local\\Programs\\100% Aspy\\resources\\command\\node.exe',
    'C:\\Users\\Zoë Ångström\\AppData\\Local\\Programs\\100% Aspy\\resources\\command\\bin\\aspy',
  ],
} as const satisfies CommandPlace

test('on Windows, it is a .cmd file by paths from its own folder, which cmd.exe reads under any name of a person', () => {
  using folder = makeTempFolder()
  const before = process.cwd()
  // The path of Windows is one name here.
  process.chdir(folder.path)
  try {
    const state = (env: CommandPlace['env']) =>
      commandState('data', { ...ON_WINDOWS, env: { ...ON_WINDOWS.env, ...env } })
    const { file } = state({})
    expect(file).toBe('C:\\Users\\Zoë Ångström\\AppData\\Local\\Microsoft\\WindowsApps\\aspy.cmd')
    writeFileSync(
      file,
      '@"%~dp0..\\..\\Programs\\100%% Aspy\\resources\\command\\node.exe" "%~dp0..\\..\\Programs\\100%% Aspy\\resources\\command\\bin\\aspy" %*\r\n',
    )
    const apps = 'c:\\users\\zoë ångström\\appdata\\local\\microsoft\\windowsapps\\'
    expect(state({ Path: `C:\\Windows;"${apps}"` })).toEqual({ state: 'installed', file, note: null })
    expect(state({ Path: 'C:\\Windows' }).note).toContain('Add it to the PATH in the settings of Windows')
    writeFileSync(file, '@echo mine %*\r\n')
    expect(() => putCommand('data', ON_WINDOWS)).toThrow('was not written by Aspy')
  } finally {
    process.chdir(before)
  }
})

test('on another drive of Windows, letters that cmd.exe reads wrongly are refused with the reason', () => {
  const on = (path: string): CommandPlace => ({ ...ON_WINDOWS, aspy: [`${path}\\node.exe`, `${path}\\bin\\aspy`] })
  expect(commandState('/none', on('D:\\Aspy')).note).toBeNull()
  expect(commandState('/none', on('D:\\Työkalut')).note).toContain('letters beyond ASCII')
  expect(() => putCommand('/none', on('D:\\Työkalut'))).toThrow('letters beyond ASCII')
})
