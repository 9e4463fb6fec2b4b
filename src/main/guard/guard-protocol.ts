import type { Config, OwnPrice } from '../../shared/config.ts'
import {
  GUARD_CAPS,
  type GuardCap,
  type GuardKept,
  type OverCap,
  type UnpricedReason,
} from '../../shared/contract/guard.ts'
import type { LeftOutAnswer } from '../../shared/left-out-answer.ts'

export type GuardConfig = Config['guard']

/** Returns whether any cap whose name ends so is set, for all projects or for one. */
export function hasCaps(config: GuardConfig, end = ''): boolean {
  const caps = GUARD_CAPS.filter((cap) => cap.endsWith(end))
  return [config, ...config.projects].some((own) => caps.some((cap) => (own[cap] ?? 0) > 0))
}

/** Start data of the guard's thread (workerData). */
export interface GuardStart {
  readonly databasePath: string
  readonly prices: readonly OwnPrice[]
  readonly config: GuardConfig
}

/** The place of a message on a WebSocket. */
export interface MessagePlace {
  readonly connection: string
  /** Counts the client's messages on the connection from 1. */
  readonly index: number
  /** Headers of the upstream's answer to the handshake: name, value, name, … */
  readonly answer: readonly string[]
  /**
   * Frames of the client's earlier messages, which this thread has not seen; absent: it has seen them, or they are not
   * known.
   */
  readonly earlier?: Uint8Array
  /** Frames that the upstream has sent since the previous message; absent: not needed, or some of them are missing. */
  readonly answered?: Uint8Array
}

/** Main thread → guard. `id` names a request. */
export type ToGuard =
  /** Prices a request. Answered with a verdict; below all caps, its estimate is reserved at once. */
  | {
      readonly type: 'ask'
      readonly id: string
      readonly headers: readonly string[]
      readonly body: Uint8Array
      readonly wall: number
      /** The body is the frames of a message on a WebSocket. */
      readonly socket?: MessagePlace
    }
  /** Compares a waiting request with its caps again. Answered with a verdict. */
  | { readonly type: 'recheck'; readonly id: string }
  /** The request leaves although it is over a cap: reserves its estimate. */
  | { readonly type: 'admit'; readonly id: string }
  /** The request was not sent: frees what it reserved. */
  | { readonly type: 'forget'; readonly id: string }
  /** The answer is over: its estimate counts on, less what is stored of its cost. */
  | { readonly type: 'settle'; readonly id: string }
  /** What answers cost that are not stored: it counts instead of their estimates. */
  | { readonly type: 'left_out'; readonly answers: readonly LeftOutAnswer[] }
  /** Raises a cap for its scope to a limit. */
  | { readonly type: 'raise'; readonly over: OverCap; readonly to: number }
  /** Applies other settings: every waiting request is compared with the new caps, and answered with a verdict. */
  | { readonly type: 'configure'; readonly config: GuardConfig; readonly wall: number }
  /** Asks how full the caps are. */
  | { readonly type: 'fill'; readonly wall: number }
  | { readonly type: 'stop' }

/** How full a cap of the hour or of the day is; `project` null: of all projects together. */
export interface CapFill {
  readonly project: string | null
  readonly cap: GuardCap
  readonly limit: number
  readonly used: number
}

/** A request as read by the guard's thread. */
export interface GuardedRequest {
  readonly session_id: string | null
  readonly agent_id: string | null
  readonly project: string | null
  /** Cost of its session so far; null if it names no session or is below all caps. */
  readonly spent_usd: number | null
}

export const NOBODY: GuardedRequest = { session_id: null, agent_id: null, project: null, spent_usd: null }

/** Guard → main thread. */
export type FromGuard =
  /** The first one says that it can answer. */
  | { readonly type: 'kept'; readonly kept: GuardKept }
  | { readonly type: 'fill'; readonly fill: readonly CapFill[] }
  | {
      readonly type: 'verdict'
      readonly id: string
      readonly request: GuardedRequest
      /** null: below all caps. */
      readonly over: OverCap | null
      /** Who changed the cap that it waited for; rule: nobody, or the settings. */
      readonly by: 'person' | 'rule'
      /** Why it has no price; null if it has one. */
      readonly unpriced: UnpricedReason | null
      /** The message asks the model for nothing, so it passes without being counted. */
      readonly isExempt?: true
    }
