import { randomBytes } from 'node:crypto'
import { accessSync, chmodSync, constants, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'
import { PathSecretCheck } from './path-secret.ts'

export { defaultDataDir } from './default-data-dir.ts'

/** The data folder and its keys. Does not depend on Electron. */

const KEY_NAMES = ['token', 'hooks', 'mcp', 'metrics'] as const
export type KeyName = (typeof KEY_NAMES)[number]
/** 32 random bytes each, base64url. `token` grants everything, `hooks` the hook route, `mcp` the tools, `metrics` /metrics. */
export type Keys = Readonly<Record<KeyName, string>>

/** Creates the folder, readable by its owner only. Throws file system errors. */
export function createDataDir(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
}

/** Returns 32 random bytes as base64url. */
function randomKey(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the folder's keys, and creates missing ones. Throws if the folder cannot be read or written. */
export function loadKeys(dir: string): Keys {
  return {
    token: loadKey(dir, 'token'),
    hooks: loadKey(dir, 'hooks'),
    mcp: loadKey(dir, 'mcp'),
    metrics: loadKey(dir, 'metrics'),
  }
}

export interface OpenedDataFolder {
  readonly keys: Keys
  /** Recognises the path secret; null if the folder cannot be used. */
  readonly pathSecret: PathSecretCheck | null
  /** Why the folder cannot be used, for display; null if it can. */
  readonly folderFault: string | null
}

/** Opens the folder. If it cannot be used, returns keys for this run only and the reason, for display. */
export function openDataFolder(dir: string): OpenedDataFolder {
  try {
    createDataDir(dir)
    accessSync(dir, constants.W_OK)
    return { keys: loadKeys(dir), pathSecret: new PathSecretCheck(dir), folderFault: null }
  } catch (error) {
    const keys = { token: randomKey(), hooks: randomKey(), mcp: randomKey(), metrics: randomKey() }
    const why = error instanceof Error ? error.message : String(error)
    return { keys, pathSecret: null, folderFault: `The data folder is not writable: ${why}` }
  }
}

/** Returns a key, or null if it does not exist. */
export function readKey(dir: string, name: KeyName): string | null {
  try {
    return readFileSync(join(dir, name), 'utf8').trim() || null
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

function loadKey(dir: string, name: KeyName): string {
  const known = readKey(dir, name)
  if (known !== null) {
    chmodSync(join(dir, name), 0o600)
    return known
  }
  // Written to a temporary file and linked into place, so that a concurrent process finds a complete key and uses it.
  const aside = join(dir, `.${name}-${randomBytes(6).toString('hex')}`)
  writeFileSync(aside, `${randomKey()}\n`, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(aside, join(dir, name))
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(aside, { force: true })
  }
  const key = readKey(dir, name)
  if (key === null) throw new AspyError('store_unavailable', `${join(dir, name)} is empty; delete it and start again`)
  return key
}

function isMissing(error: unknown): boolean {
  return isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
