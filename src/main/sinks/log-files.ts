import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../base/names-in.ts'

/**
 * Names of session log files. `session-<id>.jsonl` is the open file; full ones are rotated to `….jsonl.1`, `….jsonl.2` and so
 * on, oldest first, and compressed (`.gz`, `.zst`).
 */

export const COMPRESSIONS = { gzip: '.gz', zstd: '.zst' } as const
export type Compression = keyof typeof COMPRESSIONS

/** Suffix of a file until it is complete and renamed. Files left by an interrupted run are useless. */
export const TEMP_SUFFIX = '.aside'

const LOG_FILE = /^(session-.+\.jsonl)(?:\.(\d+)(\.gz|\.zst)?)?$/

/** One file of a session's log. */
export interface LogFile {
  readonly file: string
  /** Name of the open file, shared by all parts of the log. */
  readonly log: string
  /** Number of the part, from 1; null for the open file. */
  readonly part: number | null
  readonly compression: Compression | null
}

/** Parses a file name; null if it is not a session log. */
export function logFileOf(file: string): LogFile | null {
  const match = LOG_FILE.exec(file)
  const log = match?.[1]
  if (match === null || log === undefined || file.endsWith(TEMP_SUFFIX)) return null
  const [compression] = Object.entries(COMPRESSIONS).find(([, ending]) => ending === match[3]) ?? [null]
  return {
    file,
    log,
    part: match[2] === undefined ? null : Number(match[2]),
    compression: compression as Compression | null,
  }
}

/** Lists the files of all logs in a folder, oldest part first, the open file last. Empty if the folder does not exist. */
export const logFilesIn = (folder: string): readonly LogFile[] =>
  namesIn(folder)
    .flatMap((name) => logFileOf(name) ?? [])
    .toSorted(inOrder)

/** Removes incomplete files left by interrupted runs. */
export function removeTempFiles(folder: string): void {
  for (const name of namesIn(folder)) if (name.endsWith(TEMP_SUFFIX)) rmSync(join(folder, name), { force: true })
}

function inOrder(one: LogFile, other: LogFile): number {
  if (one.log !== other.log) return one.log < other.log ? -1 : 1
  return (one.part ?? Infinity) - (other.part ?? Infinity)
}

/** Returns the file name of a session's log. The id comes from the client: characters that could leave the folder or hide the file are replaced. */
export function sessionLogName(sessionId: string): string {
  const safe = sessionId.replace(/[^A-Za-z0-9_.-]/g, '_').replace(/\.{2,}/g, '_')
  return `session-${safe.slice(0, 150)}.jsonl`
}
