import { sayAside } from './wrap.ts'

/**
 * Handles failing writes to standard output and standard error. A reader that leaves early, such as `head`, ends the
 * output without an error. Anything else, such as a full disk, prints one line and sets exit code 1: a file that standard
 * output was redirected to is then not whole.
 */
export function handleOutputErrors(): void {
  process.stderr.on('error', () => undefined)
  let isReported = false
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isReported) return
    isReported = true
    process.exitCode = 1
    sayAside(`aspy: standard output cannot be written, so it is incomplete: ${message}`)
  })
}
