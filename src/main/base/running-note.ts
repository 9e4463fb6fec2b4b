import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../../shared/error-text.ts'

/**
 * The note (`app.json`) that names the app serving a data folder. An app that crashed leaves its note behind, so a note
 * only names the app to ask for a proof. Loads nothing but Node's own modules, because hooks use it.
 */

/** Content of `app.json`. A port is null if nothing listens on it; all are on 127.0.0.1. */
export interface RunningNote {
  readonly pid: number
  /** Random ID of the app's run. */
  readonly id: string
  readonly ports: { readonly proxy: number | null; readonly app: number; readonly tunnel?: number }
}

/** The name of the note. */
export const RUNNING_NOTE = 'app.json'
/** A mark that the log of the database is gone. */
export const LOG_GONE = 'log-gone'
const MAX_BYTES = 4096
/** Bits that let others write. */
const WRITABLE_BY_OTHERS = 0o022

/** Replaces the note: a previous one may be a link, or have another owner. */
export function writeRunningNote(dir: string, note: RunningNote): void {
  rmSync(join(dir, RUNNING_NOTE), { force: true })
  writeFileSync(join(dir, RUNNING_NOTE), `${JSON.stringify(note)}\n`, { mode: 0o600, flag: 'wx' })
}

/** Removes the note if it still belongs to the app with this ID. */
export function removeRunningNote(dir: string, id: string): void {
  if (readRunningNote(dir)?.id === id) rmSync(join(dir, RUNNING_NOTE), { force: true })
}

/**
 * Returns whether an app has left its note without closing the database, whose log is gone since. Closing removes the log; an
 * app that was killed leaves it, even an empty one. Whoever opens the database, also for reading, makes a new one: see
 * `keepLogGone`.
 */
export const isLogGone = (dataDir: string, path: string): boolean =>
  existsSync(path) &&
  (existsSync(join(dataDir, LOG_GONE)) || (existsSync(join(dataDir, RUNNING_NOTE)) && !existsSync(`${path}-wal`)))

/**
 * Lets the next app know that the log is gone, for a reader or a command's own app, which is about to make a new one. The
 * mark has the time of the database file, which a command's own app may write.
 */
export function keepLogGone(dataDir: string, path: string): void {
  const mark = join(dataDir, LOG_GONE)
  try {
    writeFileSync(mark, '', { mode: 0o600, flag: 'wx' })
    const { mtime } = statSync(path)
    utimesSync(mark, mtime, mtime)
  } catch (error) {
    // It is there, or the disk takes no file. Reading goes on all the same.
    if (errorCode(error) === null) throw error
  }
}

/**
 * Returns the note if it can be believed: a file, not a link, that belongs to this user and that nobody else can write, and
 * whose process runs as this user. Windows has neither owners nor modes in this form, so there only the process is checked.
 */
export function findRunningNote(dir: string): RunningNote | null {
  const note = readRunningNote(dir)
  return note !== null && isOurProcess(note.pid) ? note : null
}

function readRunningNote(dir: string): RunningNote | null {
  try {
    const file = openSync(
      join(dir, RUNNING_NOTE),
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    )
    try {
      const stats = fstatSync(file)
      if (!stats.isFile() || stats.size > MAX_BYTES || !isPrivate(stats)) return null
      return parseNote(readFileSync(file, 'utf8'))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    // ELOOP: a link. EACCES: another user's file.
    if (hasCode(error, ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES']) || error instanceof SyntaxError) return null
    throw error
  }
}

function isPrivate({ uid, mode }: { readonly uid: number; readonly mode: number }): boolean {
  const own = process.getuid?.()
  return own === undefined || (uid === own && (mode & WRITABLE_BY_OTHERS) === 0)
}

function parseNote(text: string): RunningNote | null {
  const { pid, id, ports } = fieldsOf(JSON.parse(text))
  const { proxy, app, tunnel } = fieldsOf(ports)
  if (!isWhole(pid, 2 ** 31 - 1) || typeof id !== 'string' || id === '') return null
  if (!isWhole(app, 65_535) || !(proxy === null || isWhole(proxy, 65_535))) return null
  return { pid, id, ports: { proxy, app, ...(isWhole(tunnel, 65_535) ? { tunnel } : {}) } }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const isWhole = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= max

/** Returns whether a process exists and runs as this user. It may still be another program with a reused id. */
function isOurProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // ESRCH: there is none. EPERM: it is another user's.
    if (hasCode(error, ['ESRCH', 'EPERM'])) return false
    throw error
  }
  const own = process.getuid?.()
  const stats = process.platform === 'linux' ? statSync(`/proc/${pid}`, { throwIfNoEntry: false }) : undefined
  return own === undefined || stats === undefined || stats.uid === own
}

const hasCode = (error: unknown, codes: readonly string[]): boolean => codes.includes(errorCode(error) ?? '')
