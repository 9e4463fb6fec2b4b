import { Worker } from 'node:worker_threads'
import { createProxy } from '../../../src/main/proxy/proxy.ts'
import { createTap, type Tap } from '../../../src/main/proxy/tap.ts'
import type { TapAcknowledgement } from '../../../src/main/proxy/protocol/tap-protocol.ts'
import { reportUsage } from './usage.ts'

/**
 * Aspy's proxy as a child process. Arguments: the upstream's address and the capture mode. Prints its port. `off` captures nothing;
 * with `on`, a thread acknowledges each finished exchange; with `dead`, a thread acknowledges nothing, so that the tap fills up
 * and drops.
 */
const [, , upstream = '', storage] = process.argv
const worker =
  storage === 'off'
    ? null
    : new Worker(new URL('acknowledging-worker.ts', import.meta.url), { workerData: storage === 'on' })
const tap: Tap | null =
  worker === null
    ? null
    : createTap({
        maxQueueBytes: 64 * 1024 * 1024,
        post: (parcels, transfer) => worker.postMessage(parcels, transfer),
      })
worker?.on('message', ({ exchanges }: TapAcknowledgement) => {
  for (const exchange of exchanges) tap?.acknowledge(exchange)
})

const logger = { debug: () => undefined, warn: () => undefined }
const proxy = createProxy({ port: 0, upstream: new URL(upstream), tap, logger })
process.send?.((await proxy.listen()).port)
reportUsage(() => tap?.stats() ?? null)
