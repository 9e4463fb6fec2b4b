import { basename, posix, win32 } from 'node:path'

/** How a terminal is started: a program and its arguments, never a line for a shell. */
export interface TerminalCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  /** What is set beside the app's own environment. */
  readonly env: Readonly<Record<string, string>>
  /** A script that must be written first, for its owner alone; null: none. */
  readonly script: { readonly file: string; readonly text: string } | null
}

export interface TerminalOptions {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where the session ran; as recorded, so it may hold anything. */
  readonly folder: string
  readonly sessionId: string
  /** Where a script may lie. */
  readonly scripts: string
  /** The whole path of a program, or null where there is none. */
  readonly find: (program: string) => string | null
}

/** The ids that Claude Code gives. Nothing else becomes part of a command. */
export const isClientId = (id: string): boolean => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(id)

/**
 * Whether a path names one place of this machine. On Windows only a path with a drive does: looking at `\\host\share`
 * would show that host who asks, and cmd.exe cannot stand there.
 */
export const isLocalFolder = (platform: NodeJS.Platform, folder: string): boolean =>
  !folder.includes('\0') && (platform === 'win32' ? /^[a-z]:[\\/]/i.test(folder) : folder.startsWith('/'))

/** One word of a POSIX shell: within single quotes nothing but their end means anything. */
export const singleQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** What starts a terminal that resumes a session in its folder; null: no terminal was found. Throws for other ids and paths. */
export function terminalCommand(options: TerminalOptions): TerminalCommand | null {
  const { platform, folder, sessionId } = options
  if (!isClientId(sessionId)) throw new Error('not an id of a session of Claude Code')
  if (!isLocalFolder(platform, folder)) throw new Error('not a folder of this machine')
  if (platform === 'darwin') return onMac(options)
  if (platform === 'win32') return onWindows(options)
  return onLinux(options)
}

/** Terminal takes no command, but runs a file that it is asked to open. */
function onMac({ folder, sessionId, scripts }: TerminalOptions): TerminalCommand {
  const file = posix.join(scripts, `resume-${sessionId}.command`)
  const text = [
    '#!/bin/sh',
    'rm -f -- "$0"',
    `cd -- ${singleQuoted(folder)} || exit 1`,
    `claude --resume ${singleQuoted(sessionId)}`,
    'exec "${SHELL:-/bin/zsh}"',
    '',
  ].join('\n')
  return { program: '/usr/bin/open', args: ['-a', 'Terminal', file], cwd: '/', env: {}, script: { file, text } }
}

/**
 * The folder is handed over as the working directory, never as a word: cmd.exe reads `&` and `%` in words, quoted or not.
 * It would also run a `claude.bat` that lies in that folder, unless told not to.
 */
function onWindows({ env, folder, sessionId }: TerminalOptions): TerminalCommand {
  const shell = win32.join(env['SystemRoot'] || String.raw`C:\Windows`, 'System32', 'cmd.exe')
  return {
    program: shell,
    args: ['/d', '/c', 'start', '', shell, '/k', 'claude', '--resume', sessionId],
    cwd: folder,
    env: { NoDefaultCurrentDirectoryInExePath: '1' },
    script: null,
  }
}

type Form = (folder: string, command: readonly string[]) => readonly string[]

/** For terminals that start in the working directory they are given; `-e` is what Debian's policy asks of each. */
const plainForm: Form = (_folder, command) => ['-e', ...command]

/** How each is told the folder and the command; those that hand over to a server do not take the working directory. */
const FORMS: ReadonlyMap<string, Form> = new Map([
  ['x-terminal-emulator', plainForm],
  ['gnome-terminal', (folder, command) => [`--working-directory=${folder}`, '--', ...command]],
  ['konsole', (folder, command) => ['--workdir', folder, '-e', ...command]],
  ['xfce4-terminal', (folder, command) => [`--working-directory=${folder}`, '-x', ...command]],
  ['xterm', plainForm],
])

/** Goes on with a shell, so that what was said stays readable; the session comes as words, not as text of the script. */
const THEN_A_SHELL = '"$@"; exec "${SHELL:-/bin/sh}"'

function onLinux({ env, folder, sessionId, find }: TerminalOptions): TerminalCommand | null {
  const own = env['TERMINAL']
  const command = ['/bin/sh', '-c', THEN_A_SHELL, 'aspy', 'claude', '--resume', sessionId]
  for (const name of [...(own ? [own] : []), ...FORMS.keys()]) {
    const program = find(name)
    if (program === null) continue
    const form = FORMS.get(basename(name)) ?? plainForm
    return { program, args: form(folder, command), cwd: folder, env: {}, script: null }
  }
  return null
}
