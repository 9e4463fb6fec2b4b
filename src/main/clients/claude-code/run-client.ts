import { spawn } from 'node:child_process'

/** How a client ended. */
export type ClientEnd = { readonly code: number } | { readonly signal: NodeJS.Signals }

/** Signals that somebody sends to us alone and that the client must get. */
const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2']

/**
 * Runs a client with this terminal as its own: input, output, size and keys are the client's; we only wait.
 */
export function runClient(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<ClientEnd> {
  return new Promise((resolve, reject) => {
    // Heard from before the client runs: a signal in between would end us and leave the client alone.
    const passOn = (signal: NodeJS.Signals) => child.kill(signal)
    // Ctrl+C in a terminal reaches the client by itself: it decides what that means. Elsewhere we pass it on.
    const onInterrupt = () => {
      if (!process.stdin.isTTY) child.kill('SIGINT')
    }
    const signals = process.platform === 'win32' ? PASSED_ON.slice(0, 2) : PASSED_ON
    for (const signal of signals) process.on(signal, passOn)
    process.on('SIGINT', onInterrupt).on('SIGQUIT', onInterrupt)
    // npm puts `claude.cmd` on Windows, which only a shell can start.
    const child = spawn(command, args, { stdio: 'inherit', env, shell: /\.(cmd|bat)$/i.test(command) })
    const release = () => {
      for (const signal of signals) process.off(signal, passOn)
      process.off('SIGINT', onInterrupt).off('SIGQUIT', onInterrupt)
    }
    child.once('error', (error) => {
      release()
      reject(error)
    })
    child.once('exit', (code, signal) => {
      release()
      resolve(signal === null ? { code: code ?? 1 } : { signal })
    })
  })
}

/** Ends this process as the client ended: same exit code, or same signal. */
export function endAs(end: ClientEnd): void {
  if ('code' in end) process.exitCode = end.code
  else process.kill(process.pid, end.signal)
}
