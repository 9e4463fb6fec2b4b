import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { HOSTILE_NAMES } from './fixtures/hostile-names.ts'
import { singleQuoted, terminalCommand, type TerminalOptions } from './terminal-command.ts'

const ID = '0f9b3c1e-5d2a-4c7b-9e8f-0123456789ab'
const only = (name: string) => (program: string) => (program === name ? `/usr/bin/${name}` : null)

const options = (more: Partial<TerminalOptions>): TerminalOptions => ({
  platform: 'linux',
  env: {},
  folder: '/home/ada/garden',
  sessionId: ID,
  scripts: '/data/desktop',
  find: only('xterm'),
  ...more,
})
const RESUMED = ['/bin/sh', '-c', '"$@"; exec "${SHELL:-/bin/sh}"', 'aspy', 'claude', '--resume', ID]

test.each(['linux', 'darwin', 'win32'] as const)(
  'on %s no other id than a client gives becomes a command',
  (platform) => {
    const folder = platform === 'win32' ? String.raw`C:\garden` : '/home/ada/garden'
    expect(terminalCommand(options({ platform, folder }))).not.toBeNull()
    const hostile = [
      ...HOSTILE_NAMES,
      '',
      's1',
      `${ID}\n`,
      ` ${ID}`,
      `${ID};x`,
      `${ID} & calc`,
      `--${ID}`,
      `-${ID.slice(1)}`,
      `${ID}%PATH%`,
    ]
    for (const sessionId of hostile) {
      expect(() => terminalCommand(options({ platform, folder, sessionId })), sessionId).toThrow('not an id')
    }
  },
)

test('only an absolute path of this machine becomes a command', () => {
  for (const folder of ['', 'garden', '-rf', '~/garden', '../x', 'C:\\x', '/a\0b']) {
    for (const platform of ['linux', 'darwin'] as const) {
      expect(() => terminalCommand(options({ platform, folder })), folder).toThrow('not a folder')
    }
  }
  for (const folder of [
    '',
    'garden',
    '/home/ada',
    '//host/share',
    String.raw`\\host\share`,
    String.raw`\\?\C:\x`,
    'C:',
    'C:x',
  ]) {
    expect(() => terminalCommand(options({ platform: 'win32', folder })), folder).toThrow('not a folder')
  }
})

describe('on Linux', () => {
  test.each([
    ['x-terminal-emulator', ['-e']],
    ['gnome-terminal', ['--working-directory=FOLDER', '--']],
    ['konsole', ['--workdir', 'FOLDER', '-e']],
    ['xfce4-terminal', ['--working-directory=FOLDER', '-x']],
    ['xterm', ['-e']],
  ])('%s has its own form, and a hostile path stays one word of it', (name, form) => {
    for (const hostile of HOSTILE_NAMES) {
      const folder = `/home/${hostile}`
      expect(terminalCommand(options({ folder, find: only(name) }))).toEqual({
        program: `/usr/bin/${name}`,
        args: [...form.map((word) => word.replace('FOLDER', () => folder)), ...RESUMED],
        cwd: folder,
        env: {},
        script: null,
      })
    }
  })

  test('$TERMINAL is tried first, then known terminals; without any, there is no command', () => {
    const program = (env: TerminalOptions['env'], ...there: string[]) =>
      terminalCommand(options({ env, find: (name) => (there.includes(name) ? name : null) }))?.program
    expect(program({ TERMINAL: '/opt/kitty' }, '/opt/kitty', 'xterm')).toBe('/opt/kitty')
    expect(program({ TERMINAL: '/opt/kitty' }, 'xterm', 'konsole')).toBe('konsole')
    expect(program({}, 'xterm', 'gnome-terminal', 'x-terminal-emulator')).toBe('x-terminal-emulator')
    expect(program({ TERMINAL: '' })).toBeUndefined()
    const konsole = terminalCommand(options({ env: { TERMINAL: '/opt/konsole' }, find: (name) => name }))
    expect(konsole?.args.slice(0, 2)).toEqual(['--workdir', '/home/ada/garden'])
  })
})

test('on Windows the path is only the working directory, and a program in it is never run as claude', () => {
  for (const hostile of ['a&calc', '%PATH%', 'a^b', "it's", 'a b', ';x', '$(x)']) {
    const folder = `C:\\${hostile}`
    expect(terminalCommand(options({ platform: 'win32', folder, env: { SystemRoot: 'D:\\Win' } }))).toEqual({
      program: 'D:\\Win\\System32\\cmd.exe',
      args: ['/d', '/c', 'start', '', 'D:\\Win\\System32\\cmd.exe', '/k', 'claude', '--resume', ID],
      cwd: folder,
      env: { NoDefaultCurrentDirectoryInExePath: '1' },
      script: null,
    })
  }
})

test('on macOS Terminal opens a script in the folder for scripts', () => {
  const command = terminalCommand(options({ platform: 'darwin' }))
  const file = `/data/desktop/resume-${ID}.command`
  expect(command).toMatchObject({ program: '/usr/bin/open', args: ['-a', 'Terminal', file], script: { file } })
})

test('a single-quoted word stays one word for a shell, whatever it contains', () => {
  expect(singleQuoted("it's")).toBe(String.raw`'it'\''s'`)
  if (process.platform === 'win32') return
  for (const word of [...HOSTILE_NAMES, '', "'", '\\', "\\'", '!x', '*']) {
    expect(execFileSync('/bin/sh', ['-c', `printf %s ${singleQuoted(word)}`], { encoding: 'utf8' })).toBe(word)
  }
})

describe('a new session', () => {
  const variables = { ANTHROPIC_BASE_URL: "http://127.0.0.1:2779/a'b", NO_PROXY: '127.0.0.1' }
  const started = (more: Partial<TerminalOptions>) => terminalCommand(options({ sessionId: null, variables, ...more }))

  test('starts the client with its variables, which no shell reads', () => {
    expect(started({})?.args).toEqual([
      '-e',
      '/bin/sh',
      '-c',
      '"$@"; exec "${SHELL:-/bin/sh}"',
      'aspy',
      '/usr/bin/env',
      "ANTHROPIC_BASE_URL=http://127.0.0.1:2779/a'b",
      'NO_PROXY=127.0.0.1',
      'claude',
    ])
    const onWindows = started({ platform: 'win32', folder: String.raw`C:\garden` })
    expect(onWindows?.args.slice(-2)).toEqual(['/k', 'claude'])
    expect(onWindows?.env).toEqual({ ...variables, NoDefaultCurrentDirectoryInExePath: '1' })
    const script = started({ platform: 'darwin' })?.script
    expect(script?.file).toBe('/data/desktop/start-claude.command')
    expect(script?.text.split('\n').slice(3, 6)).toEqual([
      String.raw`export ANTHROPIC_BASE_URL='http://127.0.0.1:2779/a'\''b'`,
      "export NO_PROXY='127.0.0.1'",
      "'claude'",
    ])
  })

  test.each([{ 'A=B': 'x' }, { a: 'x' }, { '': 'x' }, { A: 'x\ny' }, { A: 'x\0' }])('not with %j', (odd) => {
    for (const platform of ['linux', 'darwin'] as const)
      expect(() => started({ platform, variables: odd as never })).toThrow('not a variable')
  })
})
