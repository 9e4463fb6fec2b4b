import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { linkSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'
import { PATH_SECRET_LENGTH, PATH_SECRET_PREFIX } from '../../shared/path-secret.ts'
import { trustedText } from './private-file.ts'
import { errorCode } from '../../shared/error-text.ts'

export const PATH_SECRET_FILE = 'path-secret'
const NAME = PATH_SECRET_FILE
const RANDOM_BYTES = 32
const VALID = new RegExp(`^${PATH_SECRET_PREFIX}[\\w-]{${PATH_SECRET_LENGTH}}$`)

/** Returns whether a text has the format of a path secret. */
export const isPathSecret = (text: string): boolean => VALID.test(text)

/** A running app notices a rotated secret after at most this long. */
const RECHECK_MS = 1000

/** Returns the path secret of a data folder (`path-secret`, mode 0600), created at first use. Throws file system errors. */
export function loadPathSecret(dataDir: string): string {
  const known = readPathSecret(dataDir)
  if (known !== null) return known
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const aside = writeAside(dataDir)
  try {
    // Linked, not renamed, so that two processes that start at once use the same secret.
    linkSync(aside, join(dataDir, NAME))
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
  const made = readPathSecret(dataDir)
  if (made !== null) return made
  throw new AspyError('store_unavailable', `${join(dataDir, NAME)} is damaged; make a new one with aspy setup --rotate`)
}

/** Replaces the secret and returns the new one. A running app accepts it within a second. */
export function rotatePathSecret(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  renameSync(writeAside(dataDir), join(dataDir, NAME))
  return loadPathSecret(dataDir)
}

/** Returns the base URL of a proxy, with the secret as its path. */
export const baseUrlOf = (proxyUrl: string, secret: string): string => `${proxyUrl}/${secret}`

/** Recognises the current secret of a data folder, also after it was rotated. */
export class PathSecretCheck {
  readonly #dataDir: string
  readonly #now: () => number
  #hash: Buffer
  #changedAt: number
  #checkedAt: number

  /** Throws if the secret can be neither read nor created. */
  constructor(dataDir: string, now: () => number = () => performance.now()) {
    this.#dataDir = dataDir
    this.#now = now
    this.#hash = sha256(loadPathSecret(dataDir))
    this.#changedAt = changedAt(dataDir)
    this.#checkedAt = now()
  }

  /** Compares in constant time: hashes have one length, and an early difference reveals nothing about the secret. */
  matches(segment: string): boolean {
    this.#reload()
    return timingSafeEqual(this.#hash, sha256(segment))
  }

  #reload(): void {
    const now = this.#now()
    if (now - this.#checkedAt < RECHECK_MS) return
    this.#checkedAt = now
    const changed = changedAt(this.#dataDir)
    if (changed === this.#changedAt) return
    const secret = readPathSecret(this.#dataDir)
    if (secret === null) return
    this.#hash = sha256(secret)
    this.#changedAt = changed
  }
}

function writeAside(dataDir: string): string {
  const aside = join(dataDir, `.${NAME}-${randomBytes(6).toString('hex')}`)
  const secret = PATH_SECRET_PREFIX + randomBytes(RANDOM_BYTES).toString('base64url')
  writeFileSync(aside, `${secret}\n`, { mode: 0o600, flag: 'wx' })
  return aside
}

/** Returns null if there is no secret, or none in our format that can be trusted. */
export function readPathSecret(dataDir: string): string | null {
  const text = trustedText(join(dataDir, NAME), { readable: 'left' })
  return VALID.test(text) ? text : null
}

/** Returns the file's inode and change time as one number to compare; 0 if there is no file. */
function changedAt(dataDir: string): number {
  const stats = statSync(join(dataDir, NAME), { throwIfNoEntry: false })
  return stats === undefined ? 0 : stats.ctimeMs + stats.ino
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
