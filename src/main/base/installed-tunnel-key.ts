import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AspyError } from '../../shared/contract/errors.ts'
import { isTunnelKey, TUNNEL_KEY_PREFIX } from '../../shared/tunnel-key.ts'
import { createPrivateFile } from './create-private-file.ts'
import { createDataDir } from './data-folder.ts'
import { trustedText } from './private-file.ts'

/** The tunnel key that `aspy setup --full` writes into settings: `tunnel-key` in the data folder, mode 0600. */
export const TUNNEL_KEY_FILE = 'tunnel-key'

const RANDOM_BYTES = 32
/** A running app notices a new or removed key after at most this long, in ms. */
const RECHECK_MS = 1000

/** Returns a new tunnel key. */
export const createTunnelKey = (): string => TUNNEL_KEY_PREFIX + randomBytes(RANDOM_BYTES).toString('base64url')

/** Returns the key of this installation, creating it if there is none. Throws file system errors. */
export function installTunnelKey(dataDir: string): string {
  createDataDir(dataDir)
  const path = join(dataDir, TUNNEL_KEY_FILE)
  const known = readTunnelKey(dataDir)
  if (known !== null) return known
  rmSync(path, { force: true })
  createPrivateFile(path, `${createTunnelKey()}\n`)
  const made = readTunnelKey(dataDir)
  if (made === null) throw new AspyError('store_unavailable', `${path} cannot be created; run this again`)
  return made
}

/** Removes the key: a running app refuses it within a second. Returns whether there was one. */
export function removeTunnelKey(dataDir: string): boolean {
  const path = join(dataDir, TUNNEL_KEY_FILE)
  const wasThere = existsSync(path)
  rmSync(path, { force: true })
  return wasThere
}

/** Returns the key of this installation; null if there is none that can be trusted. */
export function readTunnelKey(dataDir: string): string | null {
  const text = trustedText(join(dataDir, TUNNEL_KEY_FILE))
  return isTunnelKey(text) ? text : null
}

/** Reads the key of an installation for a running app, at most once a second. */
export class InstalledTunnelKey {
  readonly #dataDir: string
  readonly #now: () => number
  #key: string | null = null
  #changedAt = 0
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(dataDir: string, now: () => number = () => performance.now()) {
    this.#dataDir = dataDir
    this.#now = now
  }

  read(): string | null {
    const now = this.#now()
    if (now - this.#checkedAt < RECHECK_MS) return this.#key
    this.#checkedAt = now
    const stats = statSync(join(this.#dataDir, TUNNEL_KEY_FILE), { throwIfNoEntry: false })
    const changedAt = stats === undefined ? 0 : stats.ctimeMs + stats.ino
    if (changedAt === this.#changedAt) return this.#key
    this.#changedAt = changedAt
    this.#key = stats === undefined ? null : readTunnelKey(this.#dataDir)
    return this.#key
  }
}
