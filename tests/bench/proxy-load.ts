import { createHash } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { benchRequest, type BenchAnswer } from './peers/bench-upstream.ts'
import type { Peer } from './peers/start-peer.ts'

/** Records a peer's value for a measure (`streams_10.first_byte_ms`, …). */
export type Take = (measure: string, value: number) => void

/** Number of small closed-loop exchanges per level and round. */
const EXCHANGE_MS = 400
/** Number of chunks in an event stream, and their interval. */
const CHUNKS = 20
const CHUNK_GAP_MS = 20
const PLAIN: BenchAnswer = { chunks: 0, gapMs: 0, bytes: 500 }
const BODIES = { '200_kb': [200_000, 40], '2_mb': [2_000_000, 10] } as const
const DOWNLOAD_BYTES = 16_000_000
/** As many headers as the real client sends. */
const HEADERS = [
  ...Array.from({ length: 20 }, (_, index) => [`x-header-${index}`, `value of header ${index}`]).flat(),
  'content-type',
  'application/json',
  'anthropic-version',
  '2023-06-01',
]
const SMALL = benchRequest(2000, PLAIN)

/** Waits for the complete response and returns the milliseconds to its head. Throws unless the status is 200. */
export function exchange(peer: Peer, body: Buffer, onData?: (chunk: Buffer) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    const begun = performance.now()
    let firstByte = 0
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart(controller, status) {
        firstByte = performance.now() - begun
        if (status !== 200) controller.abort(new Error(`${peer.name} answered ${status}`))
      },
      onResponseData: (_, chunk) => onData?.(chunk),
      onResponseEnd: () => resolve(firstByte),
      onResponseError: (_, error) => reject(error),
    }
    peer.pool.dispatch({ path: '/v1/messages', method: 'POST', body, headers: [...HEADERS, ...peer.headers] }, handler)
  })
}

export async function warmUp(peer: Peer): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    await Promise.all(Array.from({ length: 50 }, () => exchange(peer, SMALL)))
  }
}

/** Runs small exchanges back to back in `streams` concurrent loops. */
export async function exchangesInALoop(peer: Peer, streams: number, take: Take): Promise<void> {
  const before = await peer.usage()
  const begun = performance.now()
  const until = begun + EXCHANGE_MS
  let count = 0
  const loop = async () => {
    while (performance.now() < until) {
      take(`streams_${streams}.first_byte_ms`, await exchange(peer, SMALL))
      count += 1
    }
  }
  await Promise.all(Array.from({ length: streams }, loop))
  take(`streams_${streams}.exchanges_per_second`, (count * 1000) / (performance.now() - begun))
  await takeUsage(peer, `streams_${streams}.exchange`, before, count, take)
}

/** Runs concurrent event streams and measures each chunk's delay and the deviation of the gaps between chunks. */
export async function eventStreams(peer: Peer, streams: number, take: Take): Promise<void> {
  const body = benchRequest(2000, { chunks: CHUNKS, gapMs: CHUNK_GAP_MS, bytes: 0 })
  const before = await peer.usage()
  const stream = async () => {
    let sentBefore = 0
    let cameBefore = 0
    await exchange(peer, body, (chunk) => {
      const now = performance.now()
      for (const [, at] of chunk.toString('latin1').matchAll(/"at ([\d.]+)/g)) {
        const sent = Number(at)
        take(`streams_${streams}.chunk_ms`, now - sent)
        if (sentBefore > 0) take(`streams_${streams}.jitter_ms`, Math.abs(now - cameBefore - (sent - sentBefore)))
        sentBefore = sent
        cameBefore = now
      }
    })
  }
  // A single stream yields few chunks, so it may run more often.
  for (let turn = 0; turn < (streams === 1 ? 2 : 1); turn += 1) {
    await Promise.all(Array.from({ length: streams }, stream))
  }
  if (streams > 1) await takeUsage(peer, `streams_${streams}.chunk`, before, streams * CHUNKS, take)
}

export async function largeBodies(peer: Peer, take: Take): Promise<void> {
  for (const [name, [bytes, times]] of Object.entries(BODIES)) {
    const body = benchRequest(bytes, PLAIN)
    const before = await peer.usage()
    for (let turn = 0; turn < times; turn += 1) take(`request_${name}_ms`, await exchange(peer, body))
    await takeUsage(peer, `request_${name}`, before, times, take)
  }
  const begun = performance.now()
  await exchange(peer, benchRequest(2000, { ...PLAIN, bytes: DOWNLOAD_BYTES }))
  take('download_mb_per_second', DOWNLOAD_BYTES / 1000 / (performance.now() - begun))
}

/** Returns the bytes of a stream as the client receives them, without the timestamps, and the number of pieces. */
export async function fidelity(peer: Peer): Promise<{ readonly sha256: string; readonly pieces: number }> {
  const chunks: Buffer[] = []
  await exchange(
    peer,
    benchRequest(500, { chunks: CHUNKS, gapMs: CHUNK_GAP_MS, bytes: 0 }),
    (chunk) => void chunks.push(chunk),
  )
  const text = Buffer.concat(chunks)
    .toString()
    .replaceAll(/"at [\d.]+/g, '"at')
  return { sha256: createHash('sha256').update(text).digest('hex').slice(0, 12), pieces: chunks.length }
}

/** Runs `count` short streams, 100 at a time, to see how much memory remains. */
export async function manyStreams(peer: Peer, count: number): Promise<void> {
  const body = benchRequest(2000, { chunks: 5, gapMs: 0, bytes: 0 })
  for (let done = 0; done < count; done += 100) {
    await Promise.all(Array.from({ length: 100 }, () => exchange(peer, body)))
  }
}

/** Measures processor time per unit of work in microseconds, the figure least affected by a busy machine. */
async function takeUsage(
  peer: Peer,
  of: string,
  before: Awaited<ReturnType<Peer['usage']>>,
  units: number,
  take: Take,
): Promise<void> {
  const after = await peer.usage()
  if (before === null || after === null) return
  const thread = (after.threadCpuUs - before.threadCpuUs) / units
  if (!Number.isNaN(thread)) take(`${of}.forwarding_cpu_us`, thread)
  take(`${of}.process_cpu_us`, (after.processCpuUs - before.processCpuUs) / units)
}
