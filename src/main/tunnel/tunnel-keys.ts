import { createHash, timingSafeEqual } from 'node:crypto'
import { runOfKey } from '../base/client-run.ts'
import { AspyError } from '../../shared/contract/errors.ts'
import { isTunnelKey } from '../../shared/tunnel-key.ts'
import type { FullModeClient } from './intercepted-clients.ts'
import type { Network } from './network.ts'

/** Programs that have a key may use the tunnel. */
export interface KeyHolder {
  /** A run ends, and its key with it. An installation lasts until it is undone. */
  readonly kind: 'run' | 'installation'
  /** The client whose hosts are intercepted. */
  readonly client: FullModeClient
  /** Fingerprints of the authorities that its clients trust; null if unknown. */
  readonly trusted: ReadonlySet<string> | null
  /** The network's proxy for its tunnels; null: the app's own. */
  readonly network: Network | null
  /** The name of the run; null: an installation. */
  readonly run: string | null
}

/** A run as another process knows it. */
export interface ToldRun {
  readonly client: FullModeClient
  readonly trusted: readonly string[] | null
  readonly network: Network | null
}

/** Told when a run's key becomes valid and when it ends; the key as a hash. */
export interface TunnelKeyEvents {
  admitted(key: string, run: ToldRun): void
  dismissed(key: string): void
}

/** The key of this installation, which settings contain; null if there is none. */
export type InstalledKey = () => string | null

const INSTALLATION: KeyHolder = { kind: 'installation', client: 'claude-code', trusted: null, network: null, run: null }
/** More simultaneous runs than anybody has. */
const MAX_RUNS = 1000

/** The keys that open the tunnel. Stored as hashes, so lookup time leaks nothing about a key. */
export class TunnelKeys {
  readonly #runs = new Map<string, KeyHolder>()
  /** Hashes of runs that another process has told of, and that have not come back here yet. */
  readonly #adopted = new Set<string>()
  readonly #installedKey: InstalledKey
  readonly #events: TunnelKeyEvents | null

  constructor(installedKey: InstalledKey, events: TunnelKeyEvents | null = null) {
    this.#installedKey = installedKey
    this.#events = events
  }

  /** Returns the owner of a key, or null if the key is not valid. */
  find(key: string): KeyHolder | null {
    if (!isTunnelKey(key)) return null
    const run = this.#runs.get(runOfKey(key))
    if (run !== undefined) return run
    const installed = this.#installedKey()
    return installed !== null && timingSafeEqual(hashOf(installed), hashOf(key)) ? INSTALLATION : null
  }

  /** Admits a run until the returned function is called. Throws `conflict` if another run has its key. */
  admit(key: string, run: Omit<KeyHolder, 'kind' | 'run'>): () => void {
    const hash = runOfKey(key)
    if (this.#adopted.delete(hash)) this.#runs.delete(hash)
    if (this.#runs.has(hash)) throw new AspyError('conflict', 'another run has this tunnel key')
    if (this.#runs.size >= MAX_RUNS) throw new AspyError('conflict', `${MAX_RUNS} runs use the tunnel already`)
    this.#runs.set(hash, { kind: 'run', ...run, run: hash })
    this.#events?.admitted(hash, { ...run, trusted: run.trusted === null ? null : [...run.trusted] })
    return () => {
      if (this.#runs.delete(hash)) this.#events?.dismissed(hash)
    }
  }

  /** Admits a run that another process knows, by the hash of its key, until it comes back here or is forgotten. */
  adopt(hash: string, { trusted, ...run }: ToldRun): void {
    if (this.#runs.size >= MAX_RUNS || (this.#runs.has(hash) && !this.#adopted.has(hash))) return
    this.#adopted.add(hash)
    this.#runs.set(hash, { kind: 'run', ...run, run: hash, trusted: trusted === null ? null : new Set(trusted) })
  }

  /** The clients of adopted runs. */
  adoptedClients(): ReadonlySet<FullModeClient> {
    return new Set([...this.#adopted].flatMap((hash) => this.#runs.get(hash)?.client ?? []))
  }

  /** Forgets an adopted run; without a hash, all of them. */
  forget(hash?: string): void {
    for (const each of hash === undefined ? [...this.#adopted] : [hash])
      if (this.#adopted.delete(each)) this.#runs.delete(each)
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
