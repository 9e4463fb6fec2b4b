import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Health } from '../shared/contract/health.ts'
import type { ClaudeCodePlace } from './clients/claude-code/setup/setup-in-app.ts'
import { loadConfig, type LoadedConfig } from './config/load-config.ts'
import type { Dispatch } from './dispatch/dispatch.ts'
import type { Kept } from './keeper/kept.ts'
import type { RecorderHostOptions } from './recorder/host/recorder-host.ts'

export interface AppOptions {
  readonly dataDir: string
  readonly config: LoadedConfig
  readonly version: string
  /** Folder of the built window. */
  readonly windowDir: string
  readonly logger: Logger
  /** Makes the app a demo. `leave` returns the address of the app that opened it; null if the demo ends instead. */
  readonly leaveDemo?: () => string | null
  /** Aborted when the app is asked to end: a demo that is still being written then fails to start. */
  readonly ending?: AbortSignal
  /** Lets the window set up Claude Code. Ignored in a demo. */
  readonly claudeCode?: ClaudeCodePlace
  /** Commands that the window shows. If absent, the desktop app runs it. */
  readonly commands?: { readonly aspy: string; readonly start: string }
  /** The keeper that holds this app's ports; absent: the app binds them itself. */
  readonly kept?: Kept | null
  /** It runs for one command of a person, imports only what that names, and stops with it. */
  readonly isForCommand?: boolean
  /** How long deletions can be undone; tests set it. */
  readonly undo?: RecorderHostOptions['undo']
  /** How long the team's sink waits for more changes; tests set it. */
  readonly teamHoldMs?: number
}

/** Addresses of a running app. */
export interface StartedApp {
  readonly proxy: string
  readonly app: string
  /** Address of the tunnel of full mode. */
  readonly tunnel: string
  /** The owner's key, which grants full access. */
  readonly token: string
  readonly data: string
  /** Random ID of this run. */
  readonly id: string
}

export interface App {
  /** Runs operations for the window's IPC. */
  readonly dispatch: Dispatch
  /** Throws `port_taken` or `already_running`. Starts even if the data folder cannot be written. */
  start(): Promise<StartedApp>
  /** Leaves the store to another app that serves already. What still comes is passed on to it until this one is stopped. */
  handOver(): Promise<void>
  /** Stops every part in reverse order. Streams end by themselves within the time, in ms, or null for any. */
  stop(streamsMs?: number | null): Promise<void>
  health(): Promise<Health>
  /** Number of clients: requests in flight and live feed readers. */
  clients(): number
  /** Requests and tunnels that an end waits for. */
  inUse(): number
}

/** Returns the options of a demo next to an app: default settings and free ports. `leaveDemo` returns to the app. */
export function demoOptions(
  { version, windowDir, logger }: AppOptions,
  dataDir: string,
  leaveDemo: () => string | null,
): AppOptions {
  const flags = { 'app.port': 0, 'proxy.port': 0, 'proxy.tunnel_port': 0 }
  return {
    dataDir,
    version,
    windowDir,
    logger,
    leaveDemo,
    config: loadConfig({ file: join(dataDir, 'config.toml'), flags }),
  }
}
