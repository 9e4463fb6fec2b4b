import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../shared/config.ts'
import { AspyError } from '../../shared/contract/errors.ts'
import type { Health } from '../../shared/contract/health.ts'
import type { OperationInput, OperationOutput } from '../../shared/contract/index.ts'
import { InstalledTunnelKey } from '../base/installed-tunnel-key.ts'
import type { Listen } from '../base/listen.ts'
import type { Gate } from '../proxy/gate.ts'
import type { Tap } from '../proxy/tap.ts'
import { Authorities } from './authority/authorities.ts'
import { CLAUDE_CODE_FILES, CODEX_FILES, inFolder, inMemory, type AuthorityFiles } from './authority/authority-files.ts'
import { interceptedClients, type FullModeClient, type InterceptedClient } from './intercepted-clients.ts'
import { readLastPort, writeLastPort } from './last-port.ts'
import { networkOf, type Network } from './network.ts'
import { Tunnel, type TunnelStats } from './tunnel.ts'
import { TunnelKeys, type ToldRun, type TunnelKeyEvents } from './tunnel-keys.ts'
import { DAY_MS } from '../../shared/time-units.ts'

/** Clients of an installation are assumed to have ended this long after its authority was replaced. */
const INSTALLED_CLIENT_MS = 30 * DAY_MS
/** Runs of the app before have this long to come back. */
const ADOPTED_MS = 60_000
/** After a start, runs have this long to say which authorities their clients trust. */
const RUNS_RETURN_MS = 10 * 60_000

/**
 * The authorities of each client have separate files, so that a run trusts no authority for hosts that it does not
 * need.
 */
const FILES: Readonly<Record<FullModeClient, AuthorityFiles>> = {
  'claude-code': CLAUDE_CODE_FILES,
  codex: CODEX_FILES,
}

export interface FullModeOptions {
  readonly dataDir: string
  /** True if the data folder cannot be used: authorities are kept in memory only. */
  readonly isMemoryOnly: boolean
  /** It serves one command: no client is given its port, and that of clients stays remembered. */
  readonly isForCommand?: boolean | undefined
  readonly config: Config['proxy']
  readonly tap: Tap
  /** Decides about requests before they leave. */
  readonly gate: Gate
  readonly env: Readonly<Record<string, string | undefined>>
  /** Gives it its connections, and hears of the keys of runs; null: it binds its port. */
  readonly kept?: {
    listen(port: 'tunnel'): Listen
    readonly runs: TunnelKeyEvents
    /** Receives the runs of the app before. */
    onRun: (key: string, run: ToldRun) => void
  } | null
  readonly logger: Pick<Logger, 'debug' | 'warn'>
}

/** The part of the app for full mode: the tunnel, its keys and its authorities. */
export class FullMode {
  readonly #options: FullModeOptions
  readonly #clients: Readonly<Record<FullModeClient, { readonly authorities: Authorities } & InterceptedClient>>
  readonly #keys: TunnelKeys
  readonly #tunnel: Tunnel
  readonly #startedAt = Date.now()
  #url: string | null = null

  constructor(options: FullModeOptions) {
    const { dataDir, isMemoryOnly, config, tap, gate, env, logger, kept = null } = options
    this.#options = options
    const installed = isMemoryOnly ? null : new InstalledTunnelKey(dataDir)
    this.#keys = new TunnelKeys(() => installed?.read() ?? null, kept?.runs)
    if (kept !== null) kept.onRun = (key, run) => this.#keys.adopt(key, run)
    const clients = interceptedClients(config)
    const withAuthorities = (name: FullModeClient) => {
      const store = isMemoryOnly ? inMemory() : inFolder(dataDir, FILES[name])
      return { ...clients[name], authorities: new Authorities({ hosts: clients[name].hosts, store }) }
    }
    this.#clients = { 'claude-code': withAuthorities('claude-code'), codex: withAuthorities('codex') }
    this.#tunnel = new Tunnel({
      port: config.tunnel_port,
      keys: this.#keys,
      clients: this.#clients,
      network: networkOf(env),
      tap,
      gate,
      listen: kept?.listen('tunnel'),
      logger,
    })
  }

  /** `http://127.0.0.1:PORT`; null until it has started. */
  get url(): string | null {
    return this.#url
  }

  /** Starts to serve and returns the port. Throws `port_taken`. */
  async start(): Promise<number> {
    // Clients of an installation do not wait until a run asks for authorities.
    if (this.#keys.isInstalled() && this.#options.config.intercept_hosts.length > 0)
      await this.#ensureAuthorities('claude-code')
    const port = await this.#listen()
    // Nor do clients of the runs that the keeper has named: until then, their tunnels would not be read.
    for (const client of this.#keys.adoptedClients()) await this.#ensureAuthorities(client)
    setTimeout(() => this.#keys.forget(), ADOPTED_MS).unref()
    this.#url = `http://127.0.0.1:${port}`
    return port
  }

  /** Without a configured port, the tunnel uses its previous one: clients that are still running know no other port. */
  async #listen(): Promise<number> {
    const { dataDir, isMemoryOnly, isForCommand, config, logger } = this.#options
    if (config.tunnel_port !== 0 || isMemoryOnly || isForCommand) return this.#tunnel.listen()
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

  close(deadlineMs: number | null): Promise<void> {
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
    const { 'claude-code': claudeCode, codex } = this.#clients
    const expiresAt = claudeCode.authorities.expiresAt()
    return {
      hosts: [...claudeCode.hosts, ...(codex.authorities.expiresAt() === null ? [] : codex.hosts)],
      open,
      opened,
      intercepted,
      refused,
      handshakes_failed,
      ca_expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    }
  }

  /** Opens the tunnel for a run's key and yields once. The key is no longer valid once the caller has disconnected. */
  async *lease(
    { tunnel_key, client = 'claude-code', trusted, https_proxy, no_proxy = '' }: OperationInput<'tunnel.lease'>,
    signal: AbortSignal,
  ): AsyncGenerator<OperationOutput<'tunnel.lease'>> {
    const { dataDir, isMemoryOnly } = this.#options
    const { authorities, hosts } = this.#clients[client]
    if (this.#url === null) throw new AspyError('conflict', 'the tunnel has not started yet')
    if (hosts.length === 0)
      throw new AspyError('conflict', 'full mode records no host: [proxy] intercept_hosts is empty')
    await this.#ensureAuthorities(client)
    const network: Network | null = https_proxy === undefined ? null : networkOf({ https_proxy, no_proxy })
    const fingerprints = trusted ?? authorities.fingerprints()
    const dismiss = this.#keys.admit(tunnel_key, { client, trusted: new Set(fingerprints), network })
    try {
      yield {
        tunnel: this.#url,
        ca: authorities.pem(),
        ca_file: isMemoryOnly ? null : join(dataDir, FILES[client].certificates),
        fingerprints: [...fingerprints],
        hosts: [...hosts],
      }
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    } finally {
      dismiss()
      this.#forgetAuthorities(client)
    }
  }

  async #ensureAuthorities(client: FullModeClient): Promise<void> {
    await this.#clients[client].authorities.ensure()
    this.#forgetAuthorities(client)
  }

  /** An older authority signs until the last client that started under it has ended. */
  #forgetAuthorities(client: FullModeClient): void {
    const { authorities } = this.#clients[client]
    const newest = authorities.fingerprints().at(-1) ?? ''
    const mayReturn = Date.now() - this.#startedAt < RUNS_RETURN_MS
    const isInstalled = client === 'claude-code' && this.#keys.isInstalled()
    authorities.prune(({ fingerprint }) => {
      if (mayReturn || this.#keys.isRunBoundTo(fingerprint, newest)) return true
      const retiredAt = authorities.retiredAt(fingerprint) ?? 0
      return isInstalled && Date.now() - retiredAt < INSTALLED_CLIENT_MS
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
