import { randomBytes } from 'node:crypto'
import { chmodSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'
import { createDataDir } from './data-folder.ts'

const KEY_BYTES = 32

/**
 * Returns the key of all keyed hashes in this data folder (`hash.key`: 32 bytes, mode 0600), created on first use. With
 * another key, the same text would get another hash, so an existing file is never replaced. Throws if the folder cannot
 * be read or written.
 */
export function loadHashKey(dataDir: string): Buffer {
  const path = join(dataDir, 'hash.key')
  const known = readKeyFile(path)
  if (known !== null) return known
  createDataDir(dataDir)
  // Written to a temporary file and linked into place, so that no process reads half a key.
  const aside = join(dataDir, `.hash.key-${randomBytes(6).toString('hex')}`)
  writeFileSync(aside, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx' })
  try {
    linkSync(aside, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(aside, { force: true })
  }
  const made = readKeyFile(path)
  if (made === null) throw new AspyError('store_unavailable', `${path} disappeared while it was created; start again`)
  return made
}

function readKeyFile(path: string): Buffer | null {
  try {
    const key = readFileSync(path)
    if (key.length !== KEY_BYTES) {
      throw new AspyError('store_unavailable', `${path} is damaged (not ${KEY_BYTES} bytes); restore it from a backup`)
    }
    chmodSync(path, 0o600)
    return key
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

/** Returns whether an error has this `code` (file system, SQLite). */
function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
