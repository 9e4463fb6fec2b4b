import type { MessagePort } from 'node:worker_threads'
import type { AnyEvent } from '../../../shared/event.ts'
import type { ProcessorContext } from '../processor.ts'

/** workerData of the thread that runs the user's code. */
export interface CustomStart {
  readonly patterns: readonly { readonly source: string; readonly flags: string }[]
  readonly modules: readonly CustomModule[]
  /** An Int32Array with the fields of `CUSTOM_SIGNS`. */
  readonly signs: SharedArrayBuffer
  readonly port: MessagePort
}

export interface CustomModule {
  /** file: URL of the ES module; null to skip a module that prevented the thread from starting. */
  readonly url: string | null
  readonly options: { readonly [key: string]: unknown }
}

/** Indexes into the shared memory, which stays readable during an endless loop and after the thread's death. */
export const CUSTOM_SIGNS = {
  /** Incremented with each message; callers wait for it to change. */
  answers: 0,
  /** The pattern or module being run, counted from 1; 0 for none. */
  at: 1,
  /** 1 after the thread has exited. */
  dead: 2,
} as const

/** A match, with the index of its pattern. */
export type PatternSpan = readonly [start: number, end: number, pattern: number]

/** Recorder or importer → thread, one at a time. */
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
  /** `ms`: how long the patterns took, without the wait for a processor. */
  | { readonly type: 'spans'; readonly id: number; readonly spans: readonly PatternSpan[]; readonly ms: number }
  | { readonly type: 'same'; readonly id: number }
  | { readonly type: 'dropped'; readonly id: number }
  | { readonly type: 'changed'; readonly id: number; readonly event: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly message: string }

/** Thread → recorder or importer. */
export type FromCustom =
  | CustomAnswer
  /** Loading has finished. `faults`: the reason of each failure, by module. */
  | {
      readonly type: 'ready'
      readonly faults: readonly (string | null)[]
      /** The modules' own names. */
      readonly names: readonly (string | null)[]
    }
  | { readonly type: 'log'; readonly module: number; readonly level: LogLevel; readonly text: string }

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
