import { appendFileSync, renameSync, statSync } from 'node:fs'

/** Says what went wrong, and where it was met. */
export type ShellLog = (error: unknown, what: string) => void

/** Past this size, in bytes, the log begins anew; the one before is kept. */
const MAX_BYTES = 256 * 1024

/** The shell's own few lines, on stderr and in a file for its owner alone; they carry no payloads. */
export function createShellLog(file: string): ShellLog {
  return (error, what) => {
    const why = error instanceof Error ? error.message : error === null ? '' : String(error)
    const line = `${new Date().toISOString()} ${what}${why === '' ? '' : `: ${why}`}\n`
    process.stderr.write(line)
    try {
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(file, `${file}.1`)
      appendFileSync(file, line, { mode: 0o600 })
    } catch {
      // The line stands on stderr; a folder that cannot be written is told by the app itself.
    }
  }
}
