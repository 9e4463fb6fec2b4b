import { appendFileSync, renameSync, statSync } from 'node:fs'

/** Logs an error and the step that failed. */
export type ShellLog = (error: unknown, what: string) => void

/** Size in bytes at which the log is rotated; one previous log is kept. */
const MAX_BYTES = 256 * 1024

/** Creates the shell's log, on stderr and in a private file. Its lines never contain recorded data. */
export function createShellLog(file: string): ShellLog {
  return (error, what) => {
    const why = error instanceof Error ? error.message : error === null ? '' : String(error)
    const line = `${new Date().toISOString()} ${what}${why === '' ? '' : `: ${why}`}\n`
    process.stderr.write(line)
    try {
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(file, `${file}.1`)
      appendFileSync(file, line, { mode: 0o600 })
    } catch {
      // The line is on stderr, and the app itself reports a folder that cannot be written.
    }
  }
}
