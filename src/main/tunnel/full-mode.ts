import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../shared/config.ts'
import { AspyError } from '../../shared/contract/errors.ts'
import type { Health } from '../../shared/contract/health.ts'
import type { OperationInput, OperationOutput } from '../../shared/contract/index.ts'
import { InstalledTunnelKey } from '../base/installed-tunnel-key.ts'
import type { Gate } from '../proxy/gate.ts'
import type { Tap } from '../proxy/tap.ts'
import { Authorities } from './authority/authorities.ts'
import { CERTIFICATES_FILE, inFolder, inMemory } from './authority/authority-files.ts'
import { readLastPort, writeLastPort } from './last-port.ts'
import { networkOf, type Network } from './network.ts'
import { Tunnel, type TunnelStats } from './tunnel.ts'
import { TunnelKeys } from './tunnel-keys.ts'

const DAY_MS = 24 * 3_600_000
/** Clients of an installation are assumed to have ended this long after its authority was replaced. */
const INSTALLED_CLIENT_MS = 30 * DAY_MS
/** After a start, runs have this long to say which authorities their clients trust. */
const RUNS_RETURN_MS = 10 * 60_000

const FIRST_PARTY = 'https://api.anthropic.com'

export interface FullModeOptions {
  readonly dataDir: string
  /** The data folder cannot be used: authorities are kept in memory only. */
  readonly isMemoryOnly: boolean
  readonly config: Config['proxy']
  readonly tap: Tap
  /** Decides about requests before they leave. */
  readonly gate: Gate
  readonly env: Readonly<Record<string, string | undefined>>
  readonly logger: Pick<Logger, 'debug' | 'warn'>
}

/** Full mode's part of the app: the tunnel, its keys and its authorities. */
export class FullMode {
  readonly #options: FullModeOptions
  readonly #authorities: Authorities
  readonly #keys: TunnelKeys
  readonly #tunnel: Tunnel
  readonly #startedAt = Date.now()
  #url: string | null = null

  constructor(options: FullModeOptions) {
    const { dataDir, isMemoryOnly, config, tap, gate, env, logger } = options
    this.#options = options
    const installed = isMemoryOnly ? null : new InstalledTunnelKey(dataDir)
    this.#keys = new TunnelKeys(() => installed?.read() ?? null)
    this.#authorities = new Authorities({
      hosts: config.intercept_hosts,
      store: isMemoryOnly ? inMemory() : inFolder(dataDir),
    })
    this.#tunnel = new Tunnel({
      port: config.tunnel_port,
      authorities: this.#authorities,
      keys: this.#keys,
      upstreamOf: (host) => upstreamOf(config, host),
      network: networkOf(env),
      tap,
      gate,
      logger,
    })
  }

  /** `http://127.0.0.1:PORT`; null until it has started. */
  get url(): string | null {
    return this.#url
  }

  /** Starts to serve and returns the port. Throws `port_taken`. */
  async start(): Promise<number> {
    // Clients of an installation may connect before any run asks for authorities.
    if (this.#keys.isInstalled() && this.#options.config.intercept_hosts.length > 0) await this.#ensureAuthorities()
    const port = await this.#listen()
    this.#url = `http://127.0.0.1:${port}`
    return port
  }

  /** Without a port of its own in the configuration, the tunnel returns to its last: clients that still run know no other. */
  async #listen(): Promise<number> {
    const { dataDir, isMemoryOnly, config, logger } = this.#options
    if (config.tunnel_port !== 0 || isMemoryOnly) return this.#tunnel.listen()
    const forgive = (error: unknown) => {
      logger.warn({ err: error }, 'the port of the tunnel cannot be remembered: clients may not survive a restart')
      return null
    }
    const last = attempt(() => readLastPort(dataDir), forgive)
    const port = await this.#tunnel.listen(last ?? 0).catch((error: unknown) => {
      if (last === null) throw error
      logger.warn({ err: error, port: last }, 'the tunnel has another port than before: restart clients in full mode')
      return this.#tunnel.listen(0)
    })
    attempt(() => writeLastPort(dataDir, port), forgive)
    return port
  }

  close(deadlineMs: number): Promise<void> {
    return this.#tunnel.close(deadlineMs)
  }

  /** Open tunnels and runs that may open one. */
  clients(): number {
    return this.#tunnel.stats().open + this.#keys.runs
  }

  /** Requests to the API in progress. */
  inFlight(): number {
    return this.#tunnel.inFlight()
  }

  health(): Health['tunnels'] {
    const { open, opened, intercepted, refused, handshakes_failed }: TunnelStats = this.#tunnel.stats()
    const expiresAt = this.#authorities.expiresAt()
    return {
      hosts: [...this.#options.config.intercept_hosts],
      open,
      opened,
      intercepted,
      refused,
      handshakes_failed,
      ca_expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    }
  }

  /** Opens the tunnel for a run's key and yields once. The key opens nothing any more once the caller has left. */
  async *lease(
    { tunnel_key, trusted, https_proxy, no_proxy = '' }: OperationInput<'tunnel.lease'>,
    signal: AbortSignal,
  ): AsyncGenerator<OperationOutput<'tunnel.lease'>> {
    const { dataDir, isMemoryOnly, config } = this.#options
    if (this.#url === null) throw new AspyError('conflict', 'the tunnel has not started yet')
    if (config.intercept_hosts.length === 0) {
      throw new AspyError('conflict', 'full mode records no host: [proxy] intercept_hosts is empty')
    }
    await this.#ensureAuthorities()
    const network: Network | null = https_proxy === undefined ? null : networkOf({ https_proxy, no_proxy })
    const fingerprints = trusted ?? this.#authorities.fingerprints()
    const dismiss = this.#keys.admit(tunnel_key, { trusted: new Set(fingerprints), network })
    try {
      yield {
        tunnel: this.#url,
        ca: this.#authorities.pem(),
        ca_file: isMemoryOnly ? null : join(dataDir, CERTIFICATES_FILE),
        fingerprints: [...fingerprints],
        hosts: [...config.intercept_hosts],
      }
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    } finally {
      dismiss()
      this.#forgetAuthorities()
    }
  }

  async #ensureAuthorities(): Promise<void> {
    await this.#authorities.ensure()
    this.#forgetAuthorities()
  }

  /** An older authority signs until the last client that started under it has ended. */
  #forgetAuthorities(): void {
    const newest = this.#authorities.fingerprints().at(-1) ?? ''
    const mayReturn = Date.now() - this.#startedAt < RUNS_RETURN_MS
    this.#authorities.prune(({ fingerprint }) => {
      if (mayReturn || this.#keys.isRunBoundTo(fingerprint, newest)) return true
      const retiredAt = this.#authorities.retiredAt(fingerprint) ?? 0
      return this.#keys.isInstalled() && Date.now() - retiredAt < INSTALLED_CLIENT_MS
    })
  }
}

function attempt<T, U>(work: () => T, otherwise: (error: unknown) => U): T | U {
  try {
    return work()
  } catch (error) {
    return otherwise(error)
  }
}

/** An upstream other than the API's own address replaces the first host. Every other host leads to itself. */
function upstreamOf({ intercept_hosts: hosts, upstream }: Config['proxy'], host: string): URL | null {
  if (!hosts.includes(host)) return null
  const url = new URL(upstream)
  return host === hosts[0] && url.origin !== FIRST_PARTY ? url : new URL(`https://${host}`)
}
