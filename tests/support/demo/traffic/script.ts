import type { GuardAction } from '../../../../src/shared/guard-action.ts'
import type { Json, JsonObject } from '../../../../src/shared/event.ts'

/** A tool call and its result. */
export interface ScriptCall {
  /** Thoughts and words before the call. */
  readonly thinking?: string
  readonly says?: string
  readonly tool: string
  readonly input: JsonObject
  readonly output: string
  readonly fails?: boolean
  /** A person said no. */
  readonly isDenied?: boolean
  /** Number of log lines after the output. */
  readonly logLines?: number
  /** How long it takes; by default, as long as such a call usually does. */
  readonly ms?: number
  /** The hook's copy of the result; by default its output. */
  readonly response?: Json
  /** Further calls in the same answer. */
  readonly together?: readonly ScriptCall[]
}

export interface ScriptAgent {
  readonly type: string
  readonly description: string
  readonly prompt: string
  /** By default, the session's model. */
  readonly model?: string
  /** It has neither tools nor instructions: less than the least that is cached. */
  readonly isTiny?: boolean
  readonly steps: readonly ScriptCall[]
  readonly report: string
}

/** A change that makes the next request differ from the last, so that it misses the cache. */
export const CHANGES = [
  'tools',
  'system',
  'messages',
  'parameters',
  'betas',
  'speed',
  'model',
  'lifetime',
  'resume',
  'provider',
] as const
export type Change = (typeof CHANGES)[number]

export type ScriptStep =
  | ScriptCall
  | { readonly agents: readonly ScriptAgent[]; readonly says?: string }
  | { readonly change: Change; readonly to?: string }
  | { readonly failure: { readonly status: number; readonly type: string; readonly message: string } }
  | { readonly compact: { readonly trigger: 'auto' | 'manual'; readonly analysis: string; readonly summary: string } }
  | { readonly guard: readonly Omit<GuardAction, 'agent_id' | 'id'>[] }
  | { readonly waitMinutes: number }

export interface ScriptTurn {
  readonly prompt: string
  readonly steps: readonly ScriptStep[]
  /** Thoughts before the answer. */
  readonly thinking?: string
  /** None: the last request failed, and so did the turn. */
  readonly answer?: string
}

/** A session: prompts, work and answers. */
export interface Script {
  readonly folder: string
  readonly branch: string
  readonly model: string
  readonly client?: 'codex'
  readonly turns: readonly ScriptTurn[]
}

/** Lines of a log that could be a service's. */
export function logLines(count: number, seed: number): string {
  return Array.from({ length: count }, (_, at) => {
    const number = (seed * 7919 + at * 104_729) % 900_001
    const second = String(at % 60).padStart(2, '0')
    const minute = String(Math.floor(at / 60) % 60).padStart(2, '0')
    const level = number % 41 === 0 ? 'WARN' : 'INFO'
    const said = number % 41 === 0 ? 'slow write, waited for the lock' : 'row written'
    return `2026-11-12T09:${minute}:${second}Z ${level} import batch=${Math.floor(at / 50)} row=${at} order=A-${100_000 + number} ms=${(number % 37) + 1} ${said}`
  }).join('\n')
}
