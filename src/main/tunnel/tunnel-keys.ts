import { createHash, timingSafeEqual } from 'node:crypto'
import { AspyError } from '../../shared/contract/errors.ts'
import { isTunnelKey } from '../../shared/tunnel-key.ts'
import type { FullModeClient } from './intercepted-clients.ts'
import type { Network } from './network.ts'

/** Programs that have a key may use the tunnel. */
export interface KeyHolder {
  /** A run ends, and its key with it. An installation lasts until it is undone. */
  readonly kind: 'run' | 'installation'
  /** Whose hosts are intercepted for it. */
  readonly client: FullModeClient
  /** Fingerprints of the authorities that its clients trust; null if unknown. */
  readonly trusted: ReadonlySet<string> | null
  /** The network's proxy for its tunnels; null: the app's own. */
  readonly network: Network | null
}

/** The key of this installation, which settings contain; null if there is none. */
export type InstalledKey = () => string | null

const INSTALLATION: KeyHolder = { kind: 'installation', client: 'claude-code', trusted: null, network: null }
/** More runs at once than anybody has. */
const MAX_RUNS = 1000

/** The keys that open the tunnel. Stored as hashes, so lookup time leaks nothing about a key. */
export class TunnelKeys {
  readonly #runs = new Map<string, KeyHolder>()
  readonly #installedKey: InstalledKey

  constructor(installedKey: InstalledKey) {
    this.#installedKey = installedKey
  }

  /** Returns who has a key, or null if it opens nothing. */
  find(key: string): KeyHolder | null {
    if (!isTunnelKey(key)) return null
    const run = this.#runs.get(hashOf(key).toString('hex'))
    if (run !== undefined) return run
    const installed = this.#installedKey()
    return installed !== null && timingSafeEqual(hashOf(installed), hashOf(key)) ? INSTALLATION : null
  }

  /** Admits a run until the returned function is called. Throws `conflict` if another run has its key. */
  admit(key: string, run: Omit<KeyHolder, 'kind'>): () => void {
    const hash = hashOf(key).toString('hex')
    if (this.#runs.has(hash)) throw new AspyError('conflict', 'another run has this tunnel key')
    if (this.#runs.size >= MAX_RUNS) throw new AspyError('conflict', `${MAX_RUNS} runs use the tunnel already`)
    this.#runs.set(hash, { kind: 'run', ...run })
    return () => void this.#runs.delete(hash)
  }

  /** Runs that have a key now. */
  get runs(): number {
    return this.#runs.size
  }

  isInstalled(): boolean {
    return this.#installedKey() !== null
  }

  /** Returns whether a run trusts an authority, but not the newest one: then only the older can sign for it. */
  isRunBoundTo(fingerprint: string, newest: string): boolean {
    const runs = [...this.#runs.values()]
    return runs.some(({ trusted }) => trusted?.has(fingerprint) === true && !trusted.has(newest))
  }
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
