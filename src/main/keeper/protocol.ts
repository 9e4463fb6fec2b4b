import type { ToldRun } from '../tunnel/tunnel-keys.ts'
import type { UpstreamAddresses } from '../proxy/upstream-routes.ts'

/** Messages between the keeper and its app. Both are of one build, or of two that follow each other. */

/** The ports that the keeper holds for its app. */
export type PortName = 'proxy' | 'tunnel' | 'app'

export type ToApp =
  /** Comes with the socket of a connection; `at`: when that came, by `monotonicMs`. */
  | { readonly kind: 'connection'; readonly id: number; readonly port: PortName; readonly at: number }
  | { readonly kind: 'bound'; readonly port: PortName; readonly number: number }
  /** `code`: of `AspyError`, or of the system. */
  | { readonly kind: 'refused'; readonly port: PortName; readonly code: string; readonly message: string }
  /** Asks the app to finish its streams, within a time if one is given, and to end. `isReplaced`: another one serves. */
  | { readonly kind: 'end'; readonly withinMs: number | null; readonly isReplaced: boolean }
  /** Another app should have taken the place of this one, and did not start. */
  | { readonly kind: 'not_replaced' }
  /** A run of full mode of the app before; its key as a hash. */
  | { readonly kind: 'run'; readonly key: string; readonly run: ToldRun }
  /** What has passed unrecorded since the keeper started, and what of it the app before knew. */
  | { readonly kind: 'unrecorded'; readonly passed: Passed; readonly told: Passed | null }

export type ToKeeper =
  /** `advice`: what the person can do if the port is taken. */
  | { readonly kind: 'bind'; readonly port: PortName; readonly number: number; readonly advice?: string }
  /** At the start, and when the settings change. */
  | { readonly kind: 'rules'; readonly rules: PassingRules }
  /** The app serves: connections may be handed to it. `canStore`: it can write to the data folder. */
  | { readonly kind: 'ready'; readonly canStore: boolean }
  | { readonly kind: 'took'; readonly id: number }
  /** The app does not serve that connection: it came too late, or its port is closed. */
  | { readonly kind: 'left'; readonly id: number }
  /** A run of full mode has begun or ended; its key as a hash. */
  | { readonly kind: 'run'; readonly key: string; readonly run: ToldRun }
  | { readonly kind: 'run_ended'; readonly key: string }
  /** A sign of life, at once and every `ALIVE_MS` once the app serves. An app of an earlier build gives none. */
  | { readonly kind: 'alive' }
  /** The app is asked to end, but not its keeper: it goes on until another one has its place. */
  | { readonly kind: 'replace' }
  /** The app takes no more connections. `forGood`: nobody needs it any more, and the keeper ends with it. */
  | { readonly kind: 'leaving'; readonly forGood: boolean }
  /** After that, again and again: how many requests and tunnels it waits for. */
  | { readonly kind: 'waits'; readonly count: number }

/** What the keeper must know to forward requests by itself as the app's proxy would. */
export interface PassingRules {
  readonly dataDir: string
  readonly upstream: string
  readonly upstreams: UpstreamAddresses
  readonly webSockets: 'relay' | 'refuse'
  readonly allowedHosts: readonly string[]
  readonly whenAway: 'pass' | 'refuse'
  /** Hosts that full mode records. The keeper's tunnels are blind: it opens none to a host in whose place another one stands. */
  readonly tunnelHosts: readonly { readonly host: string; readonly isOwn: boolean }[]
}

/** Counts of what passed unrecorded. */
export interface Passed {
  /** Requests by the session that the client names; '' if it names none. */
  readonly requests: Readonly<Record<string, number>>
  /** Tunnels of full mode, whose content nobody read. */
  readonly tunnels: number
  /** Hooks that were dropped. A keeper of an earlier build does not count them. */
  readonly hooks?: number
  /** Those by their session, as in `requests`. */
  readonly hooksOf?: Readonly<Record<string, number>>
  /** Wall clock of the first and the last, in ms; null if there were none. */
  readonly from: number | null
  readonly to: number | null
}

/** The variable that tells an app that a keeper started it: as its first, again, or beside the one that it replaces. */
export const KEPT_VARIABLE = 'ASPY_KEPT'

export type StartedAs = 'first' | 'again' | 'beside'

/** Returns whether a keeper started this process. */
export const isKept = (): boolean => process.env[KEPT_VARIABLE] !== undefined && process.send !== undefined

/** How long a new connection waits for an app before the keeper forwards it: it is on its way within 3 s. */
export const HOLD_MS = 2800
/** An app takes no connection that is older: the keeper may have forwarded it already. */
export const FRESH_MS = HOLD_MS - 200

/** How often an app gives a sign of life. */
export const ALIVE_MS = 3000

/** Milliseconds of a clock that all processes of the machine share and that nobody sets. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1_000_000n)
