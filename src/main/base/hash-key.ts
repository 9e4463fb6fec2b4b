import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'
import { createPrivateFile } from './create-private-file.ts'
import { createDataDir, HASH_KEY_FILE } from './data-folder.ts'
import { readPrivateFile, UntrustedFile } from './private-file.ts'

const KEY_BYTES = 32

/**
 * Returns the key of all keyed hashes in this data folder (`hash.key`: 32 bytes, mode 0600), created on first use. With
 * another key, the same text would get another hash, so an existing file is never replaced. Throws if the key cannot be
 * trusted, or the folder cannot be read or written.
 */
export function loadHashKey(dataDir: string): Buffer {
  const path = join(dataDir, HASH_KEY_FILE)
  const known = readKeyFile(path)
  if (known !== null) return known
  createDataDir(dataDir)
  createPrivateFile(path, randomBytes(KEY_BYTES))
  const made = readKeyFile(path)
  if (made === null) throw new AspyError('store_unavailable', `${path} disappeared while it was created; start again`)
  return made
}

function readKeyFile(path: string): Buffer | null {
  try {
    // Knowing the key opens nothing, and refusing it would stop recording. So one that others could write is kept.
    const key = readPrivateFile(path, { acceptsWritable: true })
    if (key === null || key.length === KEY_BYTES) return key
    throw new AspyError('store_unavailable', `${path} is damaged (not ${KEY_BYTES} bytes); ${RESTORE}`)
  } catch (error) {
    if (!(error instanceof UntrustedFile)) throw error
    throw new AspyError('store_unavailable', `${error.message}; ${RESTORE}`, { cause: error })
  }
}

const RESTORE =
  'restore a backup with aspy restore, which brings the key, or put back the file from a copy of the data folder. ' +
  'A new key would not match the recorded data'
