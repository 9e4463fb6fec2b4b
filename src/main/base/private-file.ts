import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode, nullIf } from '../../shared/error-text.ts'

/**
 * Reads files of the data folder that someone else may have put there. Loads little beyond Node's own modules, because hooks
 * use it. Windows has neither owners nor modes in this form: there only links and the kind of file are checked.
 */

const MAX_BYTES = 64 * 1024
const WRITABLE_BY_OTHERS = 0o022
const OPEN_TO_OTHERS = 0o077

/** A file in the data folder that cannot be trusted. The message names it and says why. */
export class UntrustedFile extends Error {
  /** The reason, as the end of a sentence about the file: "it is a link". */
  readonly why: string

  constructor(path: string, why: string) {
    super(`${path} cannot be trusted: ${why}`)
    this.name = 'UntrustedFile'
    this.why = why
  }
}

export interface PrivateFileOptions {
  readonly maxBytes?: number
  /** Repairs a file that others could write, instead of refusing it. */
  readonly acceptsWritable?: boolean
  /**
   * What happens to a file that others could read: it is closed to them (the default), refused because they may know what is
   * in it, or left, so that who may replace it still sees it.
   */
  readonly readable?: 'closed' | 'refused' | 'left'
}

/**
 * Returns the content of a file, or null if there is none. Takes the file away from everybody but its owner. Never waits for
 * a pipe. Throws UntrustedFile if it is a link, not a file, too large, or another user's or writable by others; and file
 * system errors.
 */
export function readPrivateFile(path: string, options: PrivateFileOptions = {}): Buffer | null {
  const { maxBytes = MAX_BYTES, acceptsWritable = false, readable = 'closed' } = options
  const file = openNoFollow(path)
  if (file === null) return null
  try {
    const stats = fstatSync(file)
    const why = faultOf(stats, path) ?? (stats.size > maxBytes ? `it is larger than ${maxBytes} bytes` : null)
    if (why !== null) throw new UntrustedFile(path, why)
    if (!acceptsWritable && isOpen(stats, WRITABLE_BY_OTHERS)) throw new UntrustedFile(path, 'others can write it')
    const isReadable = isOpen(stats, OPEN_TO_OTHERS)
    if (isReadable && readable === 'refused') throw new UntrustedFile(path, 'others could read it')
    if (isReadable && readable === 'closed') fchmodSync(file, 0o600)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** Returns the text of such a file, without space around it; '' if there is none that can be trusted. Throws file system errors. */
export const trustedText = (path: string, options?: PrivateFileOptions): string =>
  nullIf(UntrustedFile, () => readPrivateFile(path, options))
    ?.toString('utf8')
    .trim() ?? ''

/**
 * Throws UntrustedFile unless a path is a plain file of this user without further links, or does not exist. For files that
 * other code opens by name.
 */
export function assertPrivateFile(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return
  const why = stats.isSymbolicLink() ? 'it is a link' : faultOf(stats, path)
  if (why !== null) throw new UntrustedFile(path, why)
}

/** Throws UntrustedFile unless a path is a folder of this user. It may be a link to one. */
export function assertPrivateFolder(path: string, stats: Stats): void {
  if (!stats.isDirectory()) throw new UntrustedFile(path, 'it is not a folder')
  if (!isOurs(stats)) throw new UntrustedFile(path, 'it belongs to another user')
}

function openNoFollow(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const code = errorCode(error) ?? ''
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (code === 'ELOOP') throw new UntrustedFile(path, 'it is a link')
    // Error codes for opening a socket or a device without a driver.
    if (code === 'ENXIO' || code === 'ENODEV') throw new UntrustedFile(path, 'it is not a file')
    throw error
  }
}

function faultOf(stats: Stats, path: string): string | null {
  if (!stats.isFile()) return 'it is not a file'
  if (!isOurs(stats)) return 'it belongs to another user'
  return stats.nlink > 1 && !removeLeftover(path, stats) ? 'it has other names (hard links)' : null
}

function isOurs({ uid }: Stats): boolean {
  const own = process.getuid?.()
  return own === undefined || uid === own
}

const isOpen = ({ mode }: Stats, bits: number): boolean => process.getuid !== undefined && (mode & bits) !== 0

/** Removes names that `createPrivateFile` left when its process was killed. Returns whether only one name remains. */
function removeLeftover(path: string, { ino, nlink }: Stats): boolean {
  const folder = dirname(path)
  const ours = readdirSync(folder)
    .filter((name) => name.startsWith(`.${basename(path)}-`))
    .map((name) => join(folder, name))
    .filter((name) => lstatSync(name, { throwIfNoEntry: false })?.ino === ino)
  for (const name of ours) rmSync(name, { force: true })
  return nlink - ours.length <= 1
}
