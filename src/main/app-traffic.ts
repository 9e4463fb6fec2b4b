import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { statOf } from './base/stat-of.ts'
import type { Logger } from 'pino'
import type { Config } from '../shared/config.ts'
import { SessionUpstreams } from './base/session-upstreams.ts'
import { refuseSecondApp } from './base/running-app.ts'
import { isLogGone, keepLogGone, LOG_GONE } from './base/running-note.ts'
import { setForeignLogAside } from './base/foreign-log.ts'
import { Guard } from './guard/host/guard.ts'
import type { GuardOptions } from './guard/host/guard-options.ts'
import { createProxy, type Proxy } from './proxy/proxy.ts'
import type { SecretCheck } from './proxy/request-path.ts'
import type { Tap } from './proxy/tap.ts'
import type { RecorderHost } from './recorder/host/recorder-host.ts'
import type { Kept } from './keeper/kept.ts'
import type { PassingRules, PortName } from './keeper/protocol.ts'
import { FullMode } from './tunnel/full-mode.ts'
import { interceptedClients } from './tunnel/intercepted-clients.ts'

/** The parts of the app that handle clients' traffic, built from the settings. */
interface TrafficParts {
  readonly config: Config
  readonly dataDir: string
  readonly logger: Logger
  readonly tap: Tap
  /** The keeper that holds the ports; null: the app binds them itself. */
  readonly kept: Kept | null
}

/** How the app before left the data folder. */
interface ClaimedFolder {
  /** It has left its note. */
  readonly wasUnclean: boolean
  /** Its write-ahead log is gone: when the database file was last written; null: it is there, or was not needed. */
  readonly lostLogSince: string | null
}

/**
 * Throws `already_running` if an app serves the folder, unless this one takes its place: then both serve for a while.
 */
export async function claimFolder(
  {
    dataDir,
    logger,
    kept = null,
    isForCommand,
  }: Pick<TrafficParts, 'dataDir' | 'logger'> & {
    readonly kept?: Kept | null | undefined
    readonly isForCommand?: boolean
  },
  databasePath: string,
): Promise<ClaimedFolder> {
  const isTaken = kept !== null && (kept.isBeside || (await kept.takesOver(dataDir)))
  if (isTaken) return { wasUnclean: false, lostLogSince: null }
  const wasUnclean = existsSync(join(dataDir, 'app.json'))
  const isLost = isLogGone(dataDir, databasePath)
  await refuseSecondApp(dataDir)
  const mark = join(dataDir, LOG_GONE)
  const lostLogSince = isLost ? ((statOf(mark) ?? statOf(databasePath))?.mtime.toISOString() ?? null) : null
  try {
    // Nobody reads the health of a command's own app.
    if (isForCommand !== true) rmSync(mark, { force: true })
    else if (isLost) keepLogGone(dataDir, databasePath)
    setForeignLogAside(databasePath)
  } catch (err) {
    // Clients need the ports whatever the disk says, and the recorder says what is wrong as it opens the database.
    logger.warn({ err }, 'the log of another database cannot be looked for, or set aside')
  }
  return { wasUnclean, lostLogSince }
}

/** Leaves the store to another app, which follows the transcripts from now on. */
export async function leaveStore(importer: { stop(): Promise<void> }, recorder: RecorderHost): Promise<void> {
  await importer.stop()
  await recorder.handOver()
}

export function proxyOf(
  { config, dataDir, logger, tap, kept }: TrafficParts,
  guard: Guard,
  pathSecret: SecretCheck | null,
): Proxy {
  const { proxy, app } = config
  return createProxy({
    port: proxy.port,
    upstream: new URL(proxy.upstream),
    upstreams: proxy.upstreams,
    ownUpstreams: new SessionUpstreams(dataDir),
    webSockets: proxy.websockets,
    tap,
    allowedHosts: app.allowed_hosts,
    pathSecret,
    gate: guard,
    ...(kept === null ? {} : { listen: kept.listen('proxy') }),
    logger,
  })
}

/** Creates the part for full mode. `isMemoryOnly`: the data folder cannot be used. */
export function fullModeOf(
  { config, dataDir, logger, tap, kept }: TrafficParts,
  gate: Guard,
  isMemoryOnly: boolean,
  isForCommand?: boolean,
): FullMode {
  return new FullMode({
    dataDir,
    isMemoryOnly,
    isForCommand,
    config: config.proxy,
    tap,
    gate,
    env: process.env,
    logger,
    kept,
  })
}

/** Returns what a keeper must know to take the app's place. */
export function passingRules({ proxy, app, guard }: Config, dataDir: string): PassingRules {
  const clients = Object.values(interceptedClients(proxy))
  return {
    dataDir,
    upstream: proxy.upstream,
    upstreams: proxy.upstreams,
    webSockets: proxy.websockets,
    allowedHosts: app.allowed_hosts,
    whenAway: guard.when_away,
    tunnelHosts: clients.flatMap((client) =>
      client.hosts.map((host) => ({ host, isOwn: client.routeOf(host, '/').upstream.hostname === host })),
    ),
  }
}

/** Creates the guard; the recorder stores its actions. */
export function guardOf(
  { guard, pricing }: Config,
  { dataDir, databasePath }: Pick<GuardOptions, 'dataDir' | 'databasePath'>,
  recorder: Pick<RecorderHost, 'call'>,
  onHeld: GuardOptions['onHeld'],
  logger: Logger,
): Guard {
  return new Guard({
    dataDir,
    databasePath,
    config: guard,
    prices: pricing.models,
    logger,
    record: (session_id, payload) => recorder.call('events.post', { session_id, kind: 'guard_action', payload }),
    onHeld,
  })
}

/** Returns the addresses of an app's ports. */
export function urlsOf({ app, proxy, tunnel }: Readonly<Record<PortName, number>>): Readonly<Record<PortName, string>> {
  const at = (port: number) => `http://127.0.0.1:${port}`
  return { app: at(app), proxy: at(proxy), tunnel: at(tunnel) }
}
