import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Folder of the sources. Steps read what the release says, and write what they make, in the current folder: on a runner
 * it is the same, in a rehearsal another.
 */
export const ROOT = join(import.meta.dirname, '../..')

/** Version of package.json. */
export const version = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version

/** Options for running a program. */
export interface RunOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
}

/** Runs a program, shows what it prints, and throws if it fails. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): void {
  const { status, error } = spawnSync(...typed(command, args), { ...options, ...shellFor(command), stdio: 'inherit' })
  if (error !== undefined) throw new Error(`${command} could not be started: ${error.message}`)
  if (status !== 0) throw new Error(`${command} ${args[0] ?? ''} ended with ${status ?? 'a signal'}`)
}

/** Exit code and output of a program. */
export interface Answer {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end and returns what it answered, also if it fails. */
export function query(command: string, args: readonly string[], options: RunOptions = {}): Answer {
  const answer = spawnSync(...typed(command, args), { ...options, ...shellFor(command), encoding: 'utf8' })
  if (answer.error !== undefined) throw new Error(`${command} could not be started: ${answer.error.message}`)
  return { code: answer.status, stdout: answer.stdout, stderr: answer.stderr }
}

/** npm is a .cmd file on Windows, which only a shell starts. */
const shellFor = (command: string) => ({ shell: process.platform === 'win32' && !/\.exe$/i.test(command) })

/** A shell gets one line, in which Node quotes nothing. */
const typed = (command: string, args: readonly string[]): [string, string[]] =>
  shellFor(command).shell ? [forCmd(command), args.map(forCmd)] : [command, [...args]]

/** Quotes a word for cmd.exe, such as a path with a blank. Throws if it has what cmd.exe would replace in quotes, too. */
export function forCmd(word: string): string {
  if (/["%\r\n]/.test(word)) throw new Error(`cmd.exe cannot be given ${word}`)
  return /^[\w./:@=\\-]+$/.test(word) ? word : `"${word.replace(/\\+$/, '$&$&')}"`
}

/** Returns a variable without blanks around it; null if it is unset or blank. A secret that is not set comes as ''. */
export function given(name: string, env: NodeJS.ProcessEnv = process.env): string | null {
  return env[name]?.trim() || null
}

/** Returns variables that a step cannot do without. Throws an error that names all that are missing. */
export function needed<const Name extends string>(names: readonly Name[], why: string): Record<Name, string> {
  const missing = names.filter((name) => given(name) === null)
  if (missing.length > 0) throw new Error(`${missing.join(', ')} must be set: ${why}`)
  return Object.fromEntries(names.map((name) => [name, given(name)])) as Record<Name, string>
}

/** Runs a step. An error is printed in one line, and ends the step with 1. */
export async function runStep(step: () => void | Promise<void>): Promise<void> {
  try {
    await step()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
