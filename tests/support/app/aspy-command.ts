import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

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
  for (const child of children) child.kill('SIGKILL')
})

/** How a command ended, and what it said. */
export interface Finished {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningCommand {
  readonly child: ChildProcess
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
): RunningCommand {
  const child = spawn(process.execPath, [ASPY_ENTRY, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
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
  return { child, firstLine: line.promise, finished }
}

/** Runs a command to its end. */
export function aspy(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished> {
  return startAspy(args, env).finished
}
