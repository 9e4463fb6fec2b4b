import { AspyError } from '../../shared/contract/errors.ts'
import type { OperationInput, OperationOutput } from '../../shared/contract/index.ts'
import type { RunningApp } from '../base/running-app.ts'
import { overHttp } from './client.ts'
import { askLastingly, followLastingly } from './lasting-app.ts'

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
 * the key is valid. Throws what the app answers to the first request, and `gone` if no app serves.
 */
export async function holdLease({ app, dataDir, input, signal }: LeaseOptions): Promise<Lease> {
  const open = (current: RunningApp, trusted = input.trusted) =>
    overHttp(current, dataDir).stream('tunnel.lease', { ...input, ...(trusted && { trusted }) }, signal)
  const first = await askLastingly(dataDir, app, async (current) => {
    const stream = open(current)[Symbol.asyncIterator]()
    const { value, done } = await stream.next()
    if (done === true) throw new AspyError('gone', 'the app ended before it opened its tunnel')
    return { lease: value, rest: { [Symbol.asyncIterator]: () => stream } }
  })
  if (first === null) throw new AspyError('gone', 'the app does not start; see aspy status')
  const trusted = input.trusted ?? first.lease.fingerprints
  void followLastingly(dataDir, first.rest, (current) => open(current, trusted), signal)
  return first.lease
}
