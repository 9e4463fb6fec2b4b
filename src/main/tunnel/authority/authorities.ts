import { createSecureContext, type SecureContext } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import type { Authority } from './authority.ts'
import type { AuthorityStore } from './authority-files.ts'
import { DAY_MS } from '../../../shared/time-units.ts'

const AUTHORITY_MS = 365 * DAY_MS
/** A new authority replaces one that expires sooner than this. */
const RENEW_AUTHORITY_MS = 30 * DAY_MS
const LEAF_MS = 7 * DAY_MS
/** A leaf that expires sooner than this is not used for new connections. */
const RENEW_LEAF_MS = DAY_MS

interface CachedContext {
  readonly context: SecureContext
  readonly renewAt: number
}

export interface AuthoritiesOptions {
  /** The hosts whose TLS the tunnel ends, lower case. */
  readonly hosts: readonly string[]
  readonly store: AuthorityStore
  /** Returns ms since 1970. */
  readonly now?: () => number
}

/**
 * The authorities of the tunnel. The newest is given to new clients. An older one keeps signing for the clients that started
 * under it, because a client reads its authorities only once.
 */
export class Authorities {
  readonly #hosts: readonly string[]
  readonly #store: AuthorityStore
  readonly #now: () => number
  /** Oldest first. */
  #kept: readonly Authority[] = []
  #contexts = new Map<string, Promise<CachedContext>>()
  #loading: Promise<void> | null = null

  constructor({ hosts, store, now = Date.now }: AuthoritiesOptions) {
    this.#hosts = hosts
    this.#store = store
    this.#now = now
  }

  /** Loads the authorities and makes a new one if there is none for these hosts. Throws file system errors. */
  async ensure(): Promise<void> {
    this.#loading ??= this.#load().finally(() => (this.#loading = null))
    await this.#loading
  }

  /** Returns the certificates to trust, PEM, oldest first. */
  pem(): string {
    return this.#kept.map(({ certificate }) => certificate).join('')
  }

  fingerprints(): readonly string[] {
    return this.#kept.map(({ fingerprint }) => fingerprint)
  }

  /** Returns when the newest expires, in ms since 1970; null if there is none yet. */
  expiresAt(): number | null {
    return this.#kept.at(-1)?.notAfter ?? null
  }

  /** Returns when an authority was replaced by a newer one, in ms since 1970; null if it is the newest or not kept. */
  retiredAt(fingerprint: string): number | null {
    const at = this.#kept.findIndex((authority) => authority.fingerprint === fingerprint)
    return at < 0 ? null : (this.#kept[at + 1]?.notBefore ?? null)
  }

  /**
   * Returns the TLS context for a host, or null if no authority that the client trusts can sign for it. `trusted`: the
   * fingerprints that the client read; null if unknown, then the oldest is used, which most clients trust.
   */
  async contextFor(host: string, trusted: ReadonlySet<string> | null): Promise<SecureContext | null> {
    const able = this.#kept.filter(
      ({ hosts, notAfter, fingerprint }) =>
        hosts.includes(host) && notAfter > this.#now() && (trusted === null || trusted.has(fingerprint)),
    )
    const authority = trusted === null ? able[0] : able.at(-1)
    return authority === undefined ? null : this.#context(authority, host)
  }

  /** Forgets older authorities that no client needs. The newest always stays. */
  prune(isNeeded: (authority: Authority) => boolean): void {
    const newest = this.#kept.at(-1)
    const kept = this.#kept.filter((authority) => authority === newest || isNeeded(authority))
    if (kept.length === this.#kept.length) return
    this.#kept = kept
    this.#contexts.clear()
    this.#store.save(kept)
  }

  async #load(): Promise<void> {
    const now = this.#now()
    const known = this.#kept.length > 0 ? this.#kept : this.#store.load()
    const valid = known.filter(({ notAfter }) => notAfter > now)
    const newest = valid.at(-1)
    if (newest !== undefined && this.#isCurrent(newest, now)) {
      this.#kept = valid
      return
    }
    const { createAuthority } = await import('./sign.ts')
    const made = await createAuthority({ hosts: this.#hosts, now, notAfter: now + AUTHORITY_MS })
    this.#store.save([...valid, made])
    this.#kept = [...valid, made]
  }

  #isCurrent({ hosts, notAfter }: Authority, now: number): boolean {
    return isDeepStrictEqual(hosts.toSorted(), this.#hosts.toSorted()) && notAfter - now > RENEW_AUTHORITY_MS
  }

  async #context(authority: Authority, host: string): Promise<SecureContext> {
    const key = `${authority.fingerprint} ${host}`
    const known = await this.#contexts.get(key)
    if (known !== undefined && known.renewAt > this.#now()) return known.context
    const making = this.#make(authority, host)
    this.#contexts.set(key, making)
    making.catch(() => this.#contexts.delete(key))
    return (await making).context
  }

  async #make(authority: Authority, host: string): Promise<CachedContext> {
    const now = this.#now()
    const { createLeaf } = await import('./sign.ts')
    const { certificate, privateKey } = await createLeaf({ authority, host, now, notAfter: now + LEAF_MS })
    const context = createSecureContext({ cert: certificate, key: privateKey, minVersion: 'TLSv1.2' })
    return { context, renewAt: Math.min(now + LEAF_MS - RENEW_LEAF_MS, authority.notAfter) }
  }
}
