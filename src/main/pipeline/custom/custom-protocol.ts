import type { MessagePort } from 'node:worker_threads'
import type { AnyEvent } from '../../../shared/event.ts'
import type { ProcessorContext } from '../processor.ts'

/** What the thread of the user's own code is started with (workerData). */
export interface CustomStart {
  readonly patterns: readonly { readonly source: string; readonly flags: string }[]
  readonly modules: readonly CustomModule[]
  /** Int32Array of `CUSTOM_SIGNS`: see there. */
  readonly signs: SharedArrayBuffer
  readonly port: MessagePort
}

export interface CustomModule {
  /** file: URL of the ES module; null: not loaded, because it did not let the thread start. */
  readonly url: string | null
  readonly options: { readonly [key: string]: unknown }
}

/** Places in the shared memory: readable while the thread is in an endless loop, and after its death. */
export const CUSTOM_SIGNS = {
  /** Counts what the thread said: whoever waits for an answer waits for this to change. */
  answers: 0,
  /** Which pattern or module it works on, counted from 1; 0: none. */
  at: 1,
  /** 1 when the thread has ended by itself. */
  dead: 2,
} as const

/** A piece of a text, and the pattern that matched it. */
export type PatternSpan = readonly [start: number, end: number, pattern: number]

/** Recorder or importer → thread; one at a time. */
export type ToCustom =
  | { readonly type: 'match'; readonly id: number; readonly text: string }
  | {
      readonly type: 'process'
      readonly id: number
      readonly module: number
      readonly event: AnyEvent
      readonly context: Omit<ProcessorContext, 'config' | 'logger'>
    }
  | { readonly type: 'shutdown'; readonly id: number; readonly module: number }

export type CustomAnswer =
  | { readonly type: 'spans'; readonly id: number; readonly spans: readonly PatternSpan[] }
  | { readonly type: 'same'; readonly id: number }
  | { readonly type: 'dropped'; readonly id: number }
  | { readonly type: 'changed'; readonly id: number; readonly event: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }

/** Thread → recorder or importer. */
export type FromCustom =
  | CustomAnswer
  /** All modules are loaded, or could not be: why, by module. */
  | {
      readonly type: 'ready'
      readonly faults: readonly (string | null)[]
      /** How the modules call themselves. */
      readonly names: readonly (string | null)[]
    }
  | { readonly type: 'log'; readonly module: number; readonly level: LogLevel; readonly text: string }

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
