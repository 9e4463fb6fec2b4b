import type { ErrorAnswer } from './contract/errors.ts'

/**
 * What the preload puts into the window as `window.aspy`: two functions, nothing else. Answers and batches travel as
 * JSON text, parsed by the page: a string crosses the context bridge far cheaper than an object.
 */
export interface AspyBridge {
  /** Runs a value operation. Never rejects: an Electron error would lose its code. */
  call(name: string, input: unknown): Promise<BridgeAnswer>
  /** Runs a stream operation; returns what ends it. `onEnd` comes once, with the error if there was one. */
  subscribe(
    name: string,
    input: unknown,
    onBatch: (json: string) => void,
    onEnd: (error: ErrorAnswer | null) => void,
  ): () => void
}

export type BridgeAnswer =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly error: ErrorAnswer }

/** IPC channels between preload and main process. */
export const CHANNELS = {
  call: 'aspy:call',
  subscribe: 'aspy:subscribe',
  unsubscribe: 'aspy:unsubscribe',
  batch: 'aspy:batch',
} as const

/** A message of a stream, main process → preload. */
export type StreamMessage =
  | { readonly stream: number; readonly type: 'batch'; readonly json: string }
  | { readonly stream: number; readonly type: 'end'; readonly error: ErrorAnswer | null }

/**
 * What the desktop app's window can `call` beside the operations, with a `session_id` and nothing else: a terminal that
 * resumes that session. It is no operation, so no other surface has it.
 */
export const OPEN_TERMINAL = 'desktop.open_terminal'

/** The scheme and host that the window is served from in the desktop app. */
export const WINDOW_ORIGIN = { scheme: 'app', host: 'aspy' } as const
