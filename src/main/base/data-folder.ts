import { randomBytes } from 'node:crypto'
import { accessSync, chmodSync, constants, lstatSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'
import { createPrivateFile } from './create-private-file.ts'
import { isPathSecret, PATH_SECRET_FILE, PathSecretCheck } from './path-secret.ts'
import { assertPrivateFolder, readPrivateFile, trustedText, UntrustedFile } from './private-file.ts'
import { errorMessage, errorCode } from '../../shared/error-text.ts'

export { defaultDataDir } from './default-data-dir.ts'

/** The data folder and its keys. Does not depend on Electron. */

/** The files of the keys. */
export const KEY_NAMES = ['token', 'hooks', 'mcp', 'metrics'] as const
export type KeyName = (typeof KEY_NAMES)[number]
/** 32 random bytes each, base64url. `token` grants everything, `hooks` the hook route, `mcp` the tools, `metrics` /metrics. */
export type Keys = Readonly<Record<KeyName, string>>

/** The file of the key of all keyed hashes. */
export const HASH_KEY_FILE = 'hash.key'

const KEY = /^[\w-]{43}$/

/** Creates the folder, or makes an existing one readable by its owner only. Throws UntrustedFile and file system errors. */
export function createDataDir(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const stats = statSync(dir)
  assertPrivateFolder(dir, stats)
  if ((stats.mode & 0o777) !== 0o700) chmodSync(dir, 0o700)
}

/** Returns 32 random bytes as base64url. */
const randomKey = (): string => randomBytes(32).toString('base64url')

/** A file of the data folder that was not trusted. It was renamed, and a new one was created. */
export interface ReplacedFile {
  readonly name: string
  /** Its name now. */
  readonly movedTo: string
  readonly why: string
}

/**
 * Returns the folder's keys, and creates missing ones. A key that someone else may have put there or read, or that is not in
 * our format, is replaced and reported. Throws if the folder cannot be read or written.
 */
export function loadKeys(dir: string, onReplaced: (file: ReplacedFile) => void = () => undefined): Keys {
  const load = (name: KeyName) => loadKey(dir, name, onReplaced)
  return { token: load('token'), hooks: load('hooks'), mcp: load('mcp'), metrics: load('metrics') }
}

export interface OpenedDataFolder {
  readonly keys: Keys
  /** Recognises the path secret; null if the folder cannot be used. */
  readonly pathSecret: PathSecretCheck | null
  readonly replaced: readonly ReplacedFile[]
  /** Why the folder cannot be used, for display; null if it can. */
  readonly folderFault: string | null
}

/** Opens the folder. If it cannot be used, returns keys for this run only and the reason, for display. */
export function openDataFolder(dir: string): OpenedDataFolder {
  const replaced: ReplacedFile[] = []
  try {
    createDataDir(dir)
    accessSync(dir, constants.W_OK)
    const keys = loadKeys(dir, (file) => replaced.push(file))
    replaceIfBad(dir, PATH_SECRET_FILE, isPathSecret, (file) => replaced.push(file))
    moveIfNoFile(dir, HASH_KEY_FILE, (file) => replaced.push(file))
    return { keys, pathSecret: new PathSecretCheck(dir), replaced, folderFault: null }
  } catch (error) {
    const keys = { token: randomKey(), hooks: randomKey(), mcp: randomKey(), metrics: randomKey() }
    return { keys, pathSecret: null, replaced, folderFault: describeFault(error) }
  }
}

/** Returns a key, or null if there is none that can be trusted. */
export const readKey = (dir: string, name: KeyName): string | null =>
  trustedText(join(dir, name), { readable: 'left' }) || null

function loadKey(dir: string, name: KeyName, onReplaced: (file: ReplacedFile) => void): string {
  replaceIfBad(dir, name, (text) => KEY.test(text), onReplaced)
  const known = readKey(dir, name)
  if (known !== null) return known
  createPrivateFile(join(dir, name), `${randomKey()}\n`)
  const key = readKey(dir, name)
  if (key === null) throw new AspyError('store_unavailable', `${join(dir, name)} cannot be created; start again`)
  return key
}

/** Moves a file away that is not to be trusted or not in our format. */
function replaceIfBad(
  dir: string,
  name: string,
  isWellFormed: (text: string) => boolean,
  onReplaced: (file: ReplacedFile) => void,
): void {
  const why = faultOf(dir, name, isWellFormed)
  if (why !== null) moveAway(dir, name, why, onReplaced)
}

/** Moves away what is in the place of the key of hashes and holds none, a folder or a pipe: else nothing is recorded. */
function moveIfNoFile(dir: string, name: string, onReplaced: (file: ReplacedFile) => void): void {
  const stats = lstatSync(join(dir, name), { throwIfNoEntry: false })
  // What a link leads to may be the key.
  if (stats === undefined || stats.isFile() || stats.isSymbolicLink()) return
  try {
    moveAway(dir, name, 'it is not a file', onReplaced)
  } catch (error) {
    // Where a disk is mounted, the recorder says why it cannot record.
    if (errorCode(error) !== 'EBUSY') throw error
  }
}

function moveAway(dir: string, name: string, why: string, onReplaced: (file: ReplacedFile) => void): void {
  const movedTo = `${name}.refused-${randomBytes(4).toString('hex')}`
  renameSync(join(dir, name), join(dir, movedTo))
  onReplaced({ name, movedTo, why })
}

function faultOf(dir: string, name: string, isWellFormed: (text: string) => boolean): string | null {
  try {
    const content = readPrivateFile(join(dir, name), { readable: 'refused' })
    return content === null || isWellFormed(content.toString('utf8').trim()) ? null : 'it is not a key'
  } catch (error) {
    if (error instanceof UntrustedFile) return error.why
    throw error
  }
}

const FAULTS: Readonly<Record<string, string>> = {
  EROFS: 'it is on a read-only disk',
  ENOSPC: 'its disk is full',
  EDQUOT: 'your quota of its disk is used up',
  EACCES: 'you may not write to it',
  EPERM: 'you may not change it',
  ENOENT: 'a folder above it does not exist',
  ENOTDIR: 'it, or a folder above it, is a file',
  EEXIST: 'it is not a folder',
  ELOOP: 'its links lead in a circle',
}

function describeFault(error: unknown): string {
  if (error instanceof UntrustedFile) return `The data folder cannot be used: ${error.message}.`
  return `The data folder is not writable: ${whyNotWritten(error)}`
}

/** Says why a file or folder cannot be written. */
export function whyNotWritten(error: unknown): string {
  const message = errorMessage(error)
  const why = FAULTS[errorCode(error) ?? '']
  return why === undefined ? message : `${why} (${message})`
}
