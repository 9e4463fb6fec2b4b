import type { ErrorAnswer } from './contract/errors.ts'

/**
 * The API that the preload exposes to the window as `window.aspy`. Answers and batches are JSON text that the page parses: a
 * string crosses the context bridge far cheaper than an object.
 */
export interface AspyBridge {
  /** Runs a value operation. Never rejects: an Electron error would lose its code. */
  call(name: string, input: unknown): Promise<BridgeAnswer>
  /** Runs a stream operation. Returns a function that ends it. Calls `onEnd` once, with the error if there was one. */
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
 * Call of the desktop app's window that opens a terminal and resumes the session `session_id`. It is not an operation, so no
 * other surface offers it.
 */
export const OPEN_TERMINAL = 'desktop.open_terminal'

/**
 * Call of the desktop app's window that asks for a folder and starts Claude Code in a terminal there, connected to this app.
 * Answers false if the user chose none. It is not an operation either.
 */
export const START_CLIENT = 'desktop.start_client'

/** The scheme and host that the window is served from in the desktop app. */
export const WINDOW_ORIGIN = { scheme: 'app', host: 'aspy' } as const
