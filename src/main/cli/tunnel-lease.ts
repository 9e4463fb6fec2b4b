import { setTimeout as pause } from 'node:timers/promises'
import { AspyError } from '../../shared/contract/errors.ts'
import type { OperationInput, OperationOutput } from '../../shared/contract/index.ts'
import { findRunningApp, type RunningApp } from '../base/running-app.ts'
import { overHttp } from './client.ts'

/** Pause in ms before a lost lease is requested again. */
const RETRY_MS = 500

export type Lease = OperationOutput<'tunnel.lease'>

interface LeaseOptions {
  readonly app: RunningApp
  readonly dataDir: string
  readonly input: OperationInput<'tunnel.lease'>
  /** Gives the lease back. */
  readonly signal: AbortSignal
}

/**
 * Keeps a key of the tunnel valid until the signal aborts or this process ends, also when the app restarts. Resolves once
 * the key is valid. Throws what the app answers to the first request.
 */
export async function holdLease({ app, dataDir, input, signal }: LeaseOptions): Promise<Lease> {
  const first = Promise.withResolvers<Lease>()
  void (async () => {
    let current: RunningApp | null = app
    let trusted = input.trusted
    while (!signal.aborted) {
      try {
        if (current !== null) {
          const batches = overHttp(current, dataDir).stream(
            'tunnel.lease',
            { ...input, ...(trusted && { trusted }) },
            signal,
          )
          for await (const lease of batches) {
            trusted ??= lease.fingerprints
            first.resolve(lease)
          }
        }
        first.reject(new AspyError('gone', 'the app ended before it opened its tunnel'))
      } catch (error) {
        // After the first lease: the app has stopped, and another may start.
        first.reject(error instanceof Error ? error : new Error(String(error)))
      }
      if (trusted === undefined) return
      await pause(RETRY_MS, undefined, { signal }).catch(() => undefined)
      current = await findRunningApp(dataDir).catch(() => null)
    }
  })()
  return first.promise
}
