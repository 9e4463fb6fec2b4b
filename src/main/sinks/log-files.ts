import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The files of a session's log: `session-<id>.jsonl` is written to; full ones were put aside as `….jsonl.1`, `….jsonl.2`
 * and so on, the oldest first, and compressed (`.gz`, `.zst`).
 */

export const COMPRESSIONS = { gzip: '.gz', zstd: '.zst' } as const
export type Compression = keyof typeof COMPRESSIONS

/** Ends the name of a file until it takes its place; what an interrupted run left is of no use. */
export const ASIDE = '.aside'

const LOG_FILE = /^(session-.+\.jsonl)(?:\.(\d+)(\.gz|\.zst)?)?$/

/** One file of a session's log. */
export interface LogFile {
  readonly file: string
  /** The file that is written to: all parts of a log share it. */
  readonly log: string
  /** Which part of the log it is, counted from 1; null: it is written to. */
  readonly part: number | null
  readonly compression: Compression | null
}

/** What the name of a file says; null: it is none of a session's log. */
export function logFileOf(file: string): LogFile | null {
  const match = LOG_FILE.exec(file)
  const log = match?.[1]
  if (match === null || log === undefined || file.endsWith(ASIDE)) return null
  const [compression] = Object.entries(COMPRESSIONS).find(([, ending]) => ending === match[3]) ?? [null]
  return {
    file,
    log,
    part: match[2] === undefined ? null : Number(match[2]),
    compression: compression as Compression | null,
  }
}

/** The files of all logs in a folder, each log's oldest part first, what is written to last; none where there is no folder. */
export function logFilesIn(folder: string): readonly LogFile[] {
  return readFolder(folder)
    .flatMap((name) => logFileOf(name) ?? [])
    .toSorted(inOrder)
}

/** Removes what interrupted runs left half written. */
export function removeAsides(folder: string): void {
  for (const name of readFolder(folder)) if (name.endsWith(ASIDE)) rmSync(join(folder, name), { force: true })
}

function inOrder(one: LogFile, other: LogFile): number {
  if (one.log !== other.log) return one.log < other.log ? -1 : 1
  return (one.part ?? Infinity) - (other.part ?? Infinity)
}

/** File name of a session's log. An id is the client's word: whatever could leave the folder or hide is replaced. */
export function sessionLogName(sessionId: string): string {
  const safe = sessionId.replace(/[^A-Za-z0-9_.-]/g, '_').replace(/\.{2,}/g, '_')
  return `session-${safe.slice(0, 150)}.jsonl`
}

function readFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
