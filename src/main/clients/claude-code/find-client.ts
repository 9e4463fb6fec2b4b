import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, extname, join } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where Claude Code's own installers put it when they leave PATH alone, below the home folder. */
const CLAUDE_PLACES = ['.local/bin/claude', '.claude/local/claude', '.local/bin/claude.exe'] as const

/**
 * The file that a client's command stands for: a path as it is, else the first on PATH, else where Claude Code is
 * installed by itself. Throws `not_found`.
 */
export function findClient(command: string, env: Environment, home: string): string {
  if (/[/\\]/.test(command)) {
    if (isExecutable(command)) return command
    throw new AspyError('not_found', `${command} is not there, or is no program`)
  }
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter(Boolean)
  const candidates = folders.flatMap((folder) => spellings(command, env).map((name) => join(folder, name)))
  if (command === 'claude') candidates.push(...CLAUDE_PLACES.map((place) => join(home, place)))
  const found = candidates.find(isExecutable)
  if (found !== undefined) return found
  const advice = command === 'claude' ? '; install it with npm install -g @anthropic-ai/claude-code' : ''
  throw new AspyError('not_found', `there is no command "${command}" on your PATH${advice}`)
}

/** On Windows a command is found by any of the endings in PATHEXT. */
function spellings(command: string, env: Environment): string[] {
  if (process.platform !== 'win32' || extname(command) !== '') return [command]
  return (env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';').map((ending) => command + ending.toLowerCase())
}

function isExecutable(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Not for us to run: the next place may have another.
    return false
  }
}
