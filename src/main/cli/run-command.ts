import { toErrorAnswer, type ErrorCode } from '../../shared/contract/errors.ts'
import { errorCode } from '../../shared/error-text.ts'
import { isKept } from '../keeper/protocol.ts'
import { folderOfRun } from '../base/folder-of-run.ts'
import { sayAside } from './wrap.ts'

const NOT_KEPT: ReadonlySet<string> = new Set(['--demo', '--help', '-h'])

/** Exit code after a command line that no command takes, as of shells and most tools. */
const WRONG_USE = 2

/** Errors of what was typed, or of a file that it names. */
const OF_INPUT: ReadonlySet<string> = new Set<ErrorCode>(['bad_input', 'bad_query'])

/** Runs the command of this process's arguments. An error prints one line and sets exit code 1, or 2 for wrong use. */
export async function runCommand(): Promise<void> {
  try {
    const plain = plainStatus(process.argv.slice(2))
    if (isKeeper(process.argv.slice(2))) await (await import('../keeper/keep.ts')).keep()
    else if (plain !== null) await (await import('./commands/status.ts')).status(folderOfRun(plain, process.env), plain)
    else await (await import('./own-commands.ts')).runProgram(process.argv.slice(2))
  } catch (error) {
    if (isOfParser(error)) process.exitCode = error.exitCode === 0 ? 0 : WRONG_USE
    else fail(error)
  }
}

function fail(error: unknown): void {
  const { code, message } = toErrorAnswer(error)
  const more = LISTED.find(([missing]) => missing.test(message))?.[1] ?? ''
  sayAside(`aspy: ${OF_INPUT.has(code) ? forPeople(message) : message}${more}`)
  if (code === 'internal' && process.env['ASPY_LOG'] === 'debug') console.error(error)
  process.exitCode = OF_INPUT.has(code) ? WRONG_USE : 1
}

/** What is not there, and the command that lists what is. */
const LISTED: readonly (readonly [RegExp, string])[] = [
  [/^there is no session (?:last|latest|newest|current|this)$/, '; aspy sessions lists the most recently active first'],
  [/^there is no event \S+$/, '; aspy recent lists the newest'],
]

/** Leaves out what only a program can use: the operation's name, an input of it as an example, and ends of lines. */
const forPeople = (message: string) =>
  message
    .replace(/^[a-z]+\.[a-z_]+: /, '')
    .replace(/; for example \{.*\}$/s, '')
    .replaceAll('\n', ' ')

/** Returns whether the parser of the line ended the command: it has printed help, a version or what is wrong. */
function isOfParser(error: unknown): error is { readonly exitCode: number } {
  return error instanceof Error && 'exitCode' in error && errorCode(error)?.startsWith('commander.') === true
}

/**
 * Returns the flags of `aspy status` if it has no others than these, or null: shell prompts and scripts call it often, and
 * loading all commands takes most of its time.
 */
function plainStatus([command, ...words]: readonly string[]): {
  readonly data?: string
  readonly json?: boolean
} | null {
  if (command !== 'status') return null
  const [flag, folder, ...more] = words.filter((word) => word !== '--json')
  const json = words.includes('--json')
  if (flag === undefined) return { json }
  const isFolder = flag === '--data' && folder !== undefined && !folder.startsWith('-') && more.length === 0
  return isFolder ? { data: folder, json } : null
}

/** Returns whether this process only keeps an app. It then loads no more than that: it stays while its apps come and go. */
function isKeeper([command, ...flags]: readonly string[]): boolean {
  return command === 'serve' && !isKept() && !flags.some((flag) => NOT_KEPT.has(flag))
}
