import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { errorCode } from '../../../src/shared/error-text.ts'

/** The command line: as it was just built for the tests, else its source. */
export const ASPY_ENTRY =
  process.env['ASPY_BUNDLES'] === undefined
    ? join(import.meta.dirname, '../../../src/main/cli/aspy.ts')
    : join(process.env['ASPY_BUNDLES'], 'aspy.js')

/** Node's cache of compiled code, so that a command does not compile all of it again. */
const { NODE_COMPILE_CACHE } = process.env
const COMPILED = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }

/** A test that fails must leave no process behind. */
const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) signalAll(child, 'SIGKILL')
})

function signalAll(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || process.platform === 'win32') return void child.kill(signal)
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    // All of it has ended.
    if (errorCode(error) !== 'ESRCH') throw error
  }
}

/** How a command ended, and what it said. */
export interface Finished {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningCommand {
  readonly child: ChildProcess
  /** Sends a signal to the command and to what it has started: a keeper and its app. */
  signal(signal: NodeJS.Signals): void
  /** The first line of stdout. */
  readonly firstLine: Promise<string>
  readonly finished: Promise<Finished>
}

/** Starts the command line in surroundings that hold nothing of the person who runs the tests. */
export function startAspy(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  home = '/nonexistent',
  cwd?: string,
  entry = ASPY_ENTRY,
): RunningCommand {
  const child = spawn(process.execPath, [entry, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, to be signalled as one.
    detached: process.platform !== 'win32',
    ...(cwd === undefined ? {} : { cwd }),
  })
  children.add(child)
  // A keeper that was killed leaves its app behind, which holds the output open.
  child.once('close', () => children.delete(child))
  const line = Promise.withResolvers<string>()
  let seen = ''
  child.stdout.on('data', (chunk: Buffer) => {
    seen += chunk.toString()
    if (seen.includes('\n')) line.resolve(seen.slice(0, seen.indexOf('\n')))
  })
  const stdout = text(child.stdout)
  const stderr = text(child.stderr)
  const finished = new Promise<Finished>((resolve) => {
    child.once('close', (code, signal) => {
      void Promise.all([stdout, stderr]).then(([out, err]) => {
        line.reject(new Error(`aspy ${args.join(' ')} ended without a line: ${err}`))
        resolve({ code, signal, stdout: out, stderr: err })
      })
    })
  })
  line.promise.catch(() => undefined)
  return { child, signal: (signal) => signalAll(child, signal), firstLine: line.promise, finished }
}

/** Runs a command to its end. */
export function aspy(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished> {
  return startAspy(args, env).finished
}
