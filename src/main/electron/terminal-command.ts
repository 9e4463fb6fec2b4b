import { basename, posix, win32 } from 'node:path'
import { isResumable, NEW_SESSION, resumeOf } from '../../shared/vendors.ts'

/** A command that starts a terminal: a program and its arguments, never a shell command line. */
export interface TerminalCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Variables added to the app's environment. */
  readonly env: Readonly<Record<string, string>>
  /** A script to write first, private to its owner; null if none is needed. */
  readonly script: { readonly file: string; readonly text: string } | null
}

export interface TerminalOptions {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** The session's folder as recorded, so it may contain anything. */
  readonly folder: string
  /** The session to resume; null starts a new one. */
  readonly sessionId: string | null
  /** Variables for the client; none by default. */
  readonly variables?: Readonly<Record<string, string>>
  /** Folder for scripts. */
  readonly scripts: string
  /** Returns the full path of a program, or null if it is not found. */
  readonly find: (program: string) => string | null
}

/**
 * Returns whether a path is an absolute path of this machine. On Windows it needs a drive letter: opening `\\host\share`
 * would reveal the user to that host, and cmd.exe cannot use it as working directory.
 */
export const isLocalFolder = (platform: NodeJS.Platform, folder: string): boolean =>
  !folder.includes('\0') && (platform === 'win32' ? /^[a-z]:[\\/]/i.test(folder) : folder.startsWith('/'))

/** Quotes a word for a POSIX shell. In single quotes, no other character is special. */
export const singleQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Returns whether a variable can be passed on, on any system and in any script. */
const isPlain = ([name, value]: readonly [string, string]) => /^[A-Z_]{1,60}$/.test(name) && /^\P{Cc}*$/u.test(value)

/**
 * Returns a command that resumes a session in a terminal, or starts a new one; null if no terminal is found. Throws for
 * invalid IDs, paths or variables.
 */
export function terminalCommand(options: TerminalOptions): TerminalCommand | null {
  const { platform, folder, sessionId, variables = {} } = options
  if (sessionId !== null && !isResumable(sessionId)) throw new Error('not an id of a session that can be resumed')
  if (!Object.entries(variables).every(isPlain)) throw new Error('not a variable of a client')
  if (!isLocalFolder(platform, folder)) throw new Error('not a folder on this machine')
  if (platform === 'darwin') return onMac(options)
  if (platform === 'win32') return onWindows(options)
  return onLinux(options)
}

const clientOf = (sessionId: string | null): readonly string[] =>
  sessionId === null ? NEW_SESSION : (resumeOf(sessionId) ?? NEW_SESSION)

/** Terminal accepts no command, but runs a script file that it opens. */
function onMac({ folder, sessionId, variables = {}, scripts }: TerminalOptions): TerminalCommand {
  const file = posix.join(scripts, sessionId === null ? 'start-claude.command' : `resume-${sessionId}.command`)
  const text = [
    '#!/bin/sh',
    'rm -f -- "$0"',
    `cd -- ${singleQuoted(folder)} || exit 1`,
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${singleQuoted(value)}`),
    clientOf(sessionId).map(singleQuoted).join(' '),
    'exec "${SHELL:-/bin/zsh}"',
    '',
  ].join('\n')
  return { program: '/usr/bin/open', args: ['-a', 'Terminal', file], cwd: '/', env: {}, script: { file, text } }
}

/**
 * Passes the folder as the working directory, never as an argument: cmd.exe interprets `&` and `%` even in quotes. The
 * variable stops cmd.exe from running a `claude.bat` in that folder.
 */
function onWindows({ env, folder, sessionId, variables = {} }: TerminalOptions): TerminalCommand {
  const shell = win32.join(env['SystemRoot'] || String.raw`C:\Windows`, 'System32', 'cmd.exe')
  return {
    program: shell,
    args: ['/d', '/c', 'start', '', shell, '/k', ...clientOf(sessionId)],
    cwd: folder,
    env: { ...variables, NoDefaultCurrentDirectoryInExePath: '1' },
    script: null,
  }
}

type Form = (folder: string, command: readonly string[]) => readonly string[]

/** For terminals that start in their working directory. Debian's policy requires `-e`. */
const plainForm: Form = (_folder, command) => ['-e', ...command]

/** Arguments of each terminal for folder and command. Those that use a server ignore the working directory. */
const FORMS: ReadonlyMap<string, Form> = new Map([
  ['x-terminal-emulator', plainForm],
  ['gnome-terminal', (folder, command) => [`--working-directory=${folder}`, '--', ...command]],
  ['konsole', (folder, command) => ['--workdir', folder, '-e', ...command]],
  ['xfce4-terminal', (folder, command) => [`--working-directory=${folder}`, '-x', ...command]],
  ['xterm', plainForm],
])

/** Starts a shell afterwards, so that the output stays readable. The command is passed as arguments, not as script text. */
const THEN_A_SHELL = '"$@"; exec "${SHELL:-/bin/sh}"'

function onLinux({ env, folder, sessionId, variables = {}, find }: TerminalOptions): TerminalCommand | null {
  const own = env['TERMINAL']
  // Arguments, because a terminal that uses a server passes no environment on.
  const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  const client = [...(set.length === 0 ? [] : ['/usr/bin/env', ...set]), ...clientOf(sessionId)]
  const command = ['/bin/sh', '-c', THEN_A_SHELL, 'aspy', ...client]
  for (const name of [...(own ? [own] : []), ...FORMS.keys()]) {
    const program = find(name)
    if (program === null) continue
    const form = FORMS.get(basename(name)) ?? plainForm
    return { program, args: form(folder, command), cwd: folder, env: {}, script: null }
  }
  return null
}
