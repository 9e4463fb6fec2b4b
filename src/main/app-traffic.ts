import type { Logger } from 'pino'
import type { Config } from '../shared/config.ts'
import { Guard, type GuardOptions } from './guard/host/guard.ts'
import { createProxy, type Proxy } from './proxy/proxy.ts'
import type { SecretCheck } from './proxy/request-path.ts'
import type { Tap } from './proxy/tap.ts'
import type { RecorderHost } from './recorder/host/recorder-host.ts'
import { FullMode } from './tunnel/full-mode.ts'

/** The parts of the app that clients' traffic passes, built from the settings. */
interface TrafficParts {
  readonly config: Config
  readonly dataDir: string
  readonly logger: Logger
  readonly tap: Tap
}

export function proxyOf({ config, logger, tap }: TrafficParts, guard: Guard, pathSecret: SecretCheck | null): Proxy {
  const { proxy, app } = config
  return createProxy({
    host: '127.0.0.1',
    port: proxy.port,
    upstream: new URL(proxy.upstream),
    upstreams: proxy.upstreams,
    webSockets: proxy.websockets,
    tap,
    allowedHosts: app.allowed_hosts,
    pathSecret,
    gate: guard,
    logger,
  })
}

/** Creates full mode's part; `isMemoryOnly`: the data folder cannot be used. */
export function fullModeOf(
  { config, dataDir, logger, tap }: TrafficParts,
  gate: Guard,
  isMemoryOnly: boolean,
): FullMode {
  return new FullMode({ dataDir, isMemoryOnly, config: config.proxy, tap, gate, env: process.env, logger })
}

/** Creates the guard; the recorder stores its actions. */
export function guardOf(
  { guard, pricing }: Config,
  databasePath: string,
  recorder: Pick<RecorderHost, 'call'>,
  onHeld: GuardOptions['onHeld'],
  logger: Logger,
): Guard {
  return new Guard({
    databasePath,
    config: guard,
    prices: pricing.models,
    logger,
    record: (session_id, payload) => recorder.call('events.post', { session_id, kind: 'guard_action', payload }),
    onHeld,
  })
}
