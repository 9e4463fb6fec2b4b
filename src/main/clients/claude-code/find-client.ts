import { constants } from 'node:fs'
import { delimiter, extname, join } from 'node:path'
import { AspyError } from '../../../shared/contract/errors.ts'
import { mayAccess } from '../../base/may-access.ts'
import { type RunProgram } from '../../login-service/service-manager.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Paths below the home folder where Claude Code's installers put it without changing PATH. */
const CLAUDE_PLACES = ['.local/bin/claude', '.claude/local/claude', '.local/bin/claude.exe'] as const

const PACKAGES: { readonly [command: string]: string } = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  pi: '@earendil-works/pi-coding-agent',
  kimi: '@moonshot-ai/kimi-code',
  opencode: 'opencode-ai',
  copilot: '@github/copilot',
  qwen: '@qwen-code/qwen-code',
}

/**
 * Resolves a client's command to a file: a path as it is, else the first match on PATH, else Claude Code's default
 * install locations. Throws `not_found`.
 */
export function findClient(command: string, env: Environment, home: string): string {
  if (/[/\\]/.test(command)) {
    if (isExecutable(command)) return command
    throw new AspyError('not_found', `${command} does not exist or is not executable`)
  }
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter(Boolean)
  const candidates = folders.flatMap((folder) => spellings(command, env).map((name) => join(folder, name)))
  if (command === 'claude') candidates.push(...CLAUDE_PLACES.map((place) => join(home, place)))
  const found = candidates.find(isExecutable)
  if (found !== undefined) return found
  const advice = Object.hasOwn(PACKAGES, command) ? `; install it with npm install -g ${PACKAGES[command] ?? ''}` : ''
  throw new AspyError('not_found', `command "${command}" not found on your PATH${advice}`)
}

/** An installed client; its version is null if it does not say. */
export interface InstalledClient {
  readonly path: string
  readonly version: string | null
}

/** Finds an installed client and asks for its version; null if there is none. */
export async function installedClient(
  command: string,
  { env, home, run }: { readonly env: Environment; readonly home: string; readonly run: RunProgram },
): Promise<InstalledClient | null> {
  const path = pathOrNull(command, env, home)
  if (path === null) return null
  const { ok, output } = await run(path, ['--version'])
  return { path, version: ok ? (/\d+\.\d+\.\d+/.exec(output)?.[0] ?? null) : null }
}

function pathOrNull(command: string, env: Environment, home: string): string | null {
  try {
    return findClient(command, env, home)
  } catch (error) {
    // Not being installed is a fact to report, not a failure.
    if (error instanceof AspyError) return null
    throw error
  }
}

/** Returns the file names of a command; on Windows, one for each extension in PATHEXT. */
function spellings(command: string, env: Environment): string[] {
  if (process.platform !== 'win32' || extname(command) !== '') return [command]
  return (env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';').map((ending) => command + ending.toLowerCase())
}

const isExecutable = (path: string): boolean => mayAccess(path, constants.X_OK)
