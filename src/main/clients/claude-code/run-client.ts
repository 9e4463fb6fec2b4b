import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { programOf } from './command-shim.ts'

/** The exit code or signal of a client, and which process it was. */
export type ClientEnd = ({ readonly code: number } | { readonly signal: NodeJS.Signals }) & {
  readonly pid: number | undefined
}

/** Signals that reach only this process and must be forwarded to the client. */
const FORWARDED: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2']

/** Signals that do not end a Node process: a shell's code says then what ended the client. */
const LIVED_THROUGH: ReadonlySet<NodeJS.Signals> = new Set(['SIGPIPE', 'SIGUSR1'])

/** Runs a client in this terminal, with its input and output, and resolves when it exits. */
export function runClient(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<ClientEnd> {
  const program = programOf(command)
  return new Promise((resolve, reject) => {
    // Handlers are installed before the client starts: a signal in between would end this process and orphan the client.
    const forward = (signal: NodeJS.Signals) => child.kill(signal)
    // A terminal sends Ctrl+C to the client directly. Without a terminal it must be forwarded.
    const onInterrupt = () => {
      if (!process.stdin.isTTY) child.kill('SIGINT')
    }
    const signals = process.platform === 'win32' ? FORWARDED.slice(0, 2) : FORWARDED
    for (const signal of signals) process.on(signal, forward)
    process.on('SIGINT', onInterrupt).on('SIGQUIT', onInterrupt)
    const child = spawn(program.file, [...program.args, ...args], { stdio: 'inherit', env })
    const release = () => {
      for (const signal of signals) process.off(signal, forward)
      process.off('SIGINT', onInterrupt).off('SIGQUIT', onInterrupt)
    }
    child.once('error', (error) => {
      release()
      reject(error)
    })
    child.once('exit', (code, signal) => {
      release()
      resolve({ pid: child.pid, ...(signal === null ? { code: code ?? 1 } : { signal }) })
    })
  })
}

/** Ends this process with the client's exit code or signal. */
export function endAs(end: ClientEnd): void {
  process.exitCode = 'code' in end ? end.code : 128 + constants.signals[end.signal]
  if ('signal' in end && !LIVED_THROUGH.has(end.signal)) process.kill(process.pid, end.signal)
}
