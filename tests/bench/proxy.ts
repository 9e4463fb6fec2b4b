import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { Pool } from 'undici'
import type { Dispatcher } from 'undici'
import type { PeerUsage } from './peers/usage.ts'

/**
 * What the proxy adds, beside a direct call and a bare undici forwarder, in one run. Client and upstream share this
 * process (and its clock), each proxy is a process of its own; all take turns, round by round, so that a noisy machine
 * troubles them alike. Times are in milliseconds.
 */
const STREAMS = [1, 10, 100] as const
const ROUNDS = 2
/** Of closed-loop small exchanges, a level and round. */
const EXCHANGE_MS = 400
/** An event stream: so many chunks, so far apart. */
const CHUNKS = 20
const CHUNK_GAP_MS = 20
const BODIES = { request_200_kb: [200_000, 60], request_2_mb: [2_000_000, 12] } as const
const DOWNLOAD_BYTES = 32 * 1024 * 1024

const PEERS = {
  direct: null,
  bare_undici: ['bare-undici.ts'],
  aspy_capture_off: ['aspy-proxy.ts', 'no-capture'],
  aspy_capture_on: ['aspy-proxy.ts', 'capture'],
} as const
type PeerName = keyof typeof PEERS

interface Peer {
  readonly name: PeerName
  readonly pool: Pool
  readonly child: ChildProcess | null
}

/** Samples by measure (`streams_10.first_byte`, …) and peer. */
type Samples = Map<string, Map<PeerName, number[]>>

export async function benchProxy(): Promise<Record<string, unknown>> {
  const upstream = createServer(answer)
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const upstreamUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const peers: Peer[] = []
  const samples: Samples = new Map()
  try {
    for (const name of Object.keys(PEERS) as PeerName[]) peers.push(await startPeer(name, upstreamUrl))
    for (const peer of peers) await warmUp(peer)
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const streams of STREAMS) {
        for (const peer of peers) await exchangesInALoop(peer, streams, samples)
        for (const peer of peers) await eventStreams(peer, streams, samples)
      }
      for (const peer of peers) await largeBodies(peer, samples)
    }
    const capturing = peers.find(({ name }) => name === 'aspy_capture_on')
    return { ...reportOf(samples), capture: capturing && (await usageOf(capturing)).capture }
  } finally {
    for (const { pool, child } of peers) {
      await pool.destroy()
      child?.disconnect()
    }
    upstream.closeAllConnections()
    upstream.close()
  }
}

/** The upstream: `/events?chunks=N&gap=MS` streams, anything else reads the request and answers `bytes` bytes. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://upstream')
  request.resume()
  request.on('end', () => {
    if (url.pathname !== '/events') {
      response.end(Buffer.alloc(Number(url.searchParams.get('bytes') ?? 500), 'x'))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    let left = Number(url.searchParams.get('chunks'))
    const timer = setInterval(
      () => {
        response.write(
          `event: content_block_delta\ndata: {"at":${performance.now()},"text":"${'word '.repeat(12)}"}\n\n`,
        )
        left -= 1
        if (left > 0) return
        clearInterval(timer)
        response.end()
      },
      Number(url.searchParams.get('gap')),
    )
  })
}

async function startPeer(name: PeerName, upstreamUrl: string): Promise<Peer> {
  const command = PEERS[name]
  if (command === null) return { name, pool: new Pool(upstreamUrl), child: null }
  const [file, ...rest] = command
  const child = fork(new URL(`peers/${file}`, import.meta.url), [upstreamUrl, ...rest])
  const [port] = (await once(child, 'message')) as [number]
  return { name, pool: new Pool(`http://127.0.0.1:${port}`), child }
}

interface Sending {
  readonly path: string
  readonly body?: Buffer
  onData?(chunk: Buffer): void
}

/** Settles with the time to the first byte of the answer's head when the answer is complete. */
function exchange(pool: Pool, { path, body, onData }: Sending): Promise<number> {
  return new Promise((resolve, reject) => {
    const begun = performance.now()
    let firstByte = 0
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart() {
        firstByte = performance.now() - begun
      },
      onResponseData: (_, chunk) => onData?.(chunk),
      onResponseEnd: () => resolve(firstByte),
      onResponseError: (_, error) => reject(error),
    }
    pool.dispatch({ path, method: 'POST', body: body ?? SMALL_BODY, headers: HEADERS }, handler)
  })
}

const SMALL_BODY = Buffer.alloc(2000, 'p')
/** As many as the real client sends. */
const HEADERS = Array.from({ length: 20 }, (_, index) => [`X-Header-${index}`, `value of header ${index}`]).flat()

async function warmUp({ pool }: Peer): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await Promise.all(Array.from({ length: 50 }, () => exchange(pool, { path: '/' })))
  }
}

async function exchangesInALoop(peer: Peer, streams: number, samples: Samples): Promise<void> {
  const before = await usageOf(peer)
  const begun = performance.now()
  const until = begun + EXCHANGE_MS
  let count = 0
  const loop = async () => {
    while (performance.now() < until) {
      add(samples, `streams_${streams}.first_byte`, peer.name, await exchange(peer.pool, { path: '/' }))
      count += 1
    }
  }
  await Promise.all(Array.from({ length: streams }, loop))
  add(samples, `streams_${streams}.exchanges_per_second`, peer.name, (count * 1000) / (performance.now() - begun))
  await addUsage(samples, `streams_${streams}.exchange`, peer, before, count)
}

async function eventStreams(peer: Peer, streams: number, samples: Samples): Promise<void> {
  const name = `streams_${streams}.chunk`
  const path = `/events?chunks=${CHUNKS}&gap=${CHUNK_GAP_MS}`
  const onData = (chunk: Buffer) => {
    const now = performance.now()
    for (const [, at] of chunk.toString('latin1').matchAll(/"at":([\d.]+)/g))
      add(samples, name, peer.name, now - Number(at))
  }
  const before = await usageOf(peer)
  // One stream alone gives few chunks: it may run more often.
  for (let turn = 0; turn < (streams === 1 ? 2 : 1); turn += 1) {
    await Promise.all(Array.from({ length: streams }, () => exchange(peer.pool, { path, onData })))
  }
  if (streams > 1) await addUsage(samples, name, peer, before, streams * CHUNKS)
}

async function largeBodies(peer: Peer, samples: Samples): Promise<void> {
  for (const [name, [bytes, times]] of Object.entries(BODIES)) {
    const body = Buffer.alloc(bytes, 'p')
    const before = await usageOf(peer)
    for (let turn = 0; turn < times; turn += 1) {
      add(samples, name, peer.name, await exchange(peer.pool, { path: '/', body }))
    }
    await addUsage(samples, name, peer, before, times)
  }
  const begun = performance.now()
  await exchange(peer.pool, { path: `/?bytes=${DOWNLOAD_BYTES}` })
  add(samples, 'download_mb_per_second', peer.name, DOWNLOAD_BYTES / 1000 / (performance.now() - begun))
}

function add(samples: Samples, measure: string, peer: PeerName, value: number): void {
  const byPeer = samples.get(measure) ?? new Map<PeerName, number[]>()
  const values = byPeer.get(peer) ?? []
  samples.set(measure, byPeer.set(peer, values))
  values.push(value)
}

/** By measure and peer: p50, p99 and what they are over direct; the ratios of the aims beside. */
function reportOf(samples: Samples): Record<string, unknown> {
  const report: Record<string, unknown> = {}
  for (const [measure, byPeer] of samples) {
    const isRate = measure.endsWith('per_second') || measure.endsWith('cpu_us')
    const direct = byPeer.get('direct') ?? []
    const row: Record<string, unknown> = {}
    for (const [peer, values] of byPeer) {
      const p50 = round(quantile(values, 0.5))
      row[peer] = isRate
        ? p50
        : {
            p50,
            p99: round(quantile(values, 0.99)),
            added_p50: round(quantile(values, 0.5) - quantile(direct, 0.5)),
            added_p99: round(quantile(values, 0.99) - quantile(direct, 0.99)),
            samples: values.length,
          }
    }
    const over = (one: PeerName, other: PeerName, q: number) =>
      round(quantile(byPeer.get(one) ?? [], q) / quantile(byPeer.get(other) ?? [], q))
    row['capture_on_over_bare_p50'] = over('aspy_capture_on', 'bare_undici', 0.5)
    if (!isRate) row['capture_on_over_bare_p99'] = over('aspy_capture_on', 'bare_undici', 0.99)
    row['capture_on_over_off_p50'] = over('aspy_capture_on', 'aspy_capture_off', 0.5)
    report[measure] = row
  }
  return report
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}

const round = (value: number) => Math.round(value * 1000) / 1000

async function usageOf({ child }: Peer): Promise<PeerUsage> {
  if (child === null) return { threadCpuUs: Number.NaN, processCpuUs: Number.NaN, capture: null }
  child.send('usage')
  const [usage] = (await once(child, 'message')) as [PeerUsage]
  return usage
}

/** Processor time a unit of work, in microseconds: what a busy machine disturbs least. */
async function addUsage(samples: Samples, of: string, peer: Peer, before: PeerUsage, units: number): Promise<void> {
  if (peer.child === null) return
  const after = await usageOf(peer)
  add(samples, `${of}.forwarding_cpu_us`, peer.name, (after.threadCpuUs - before.threadCpuUs) / units)
  add(samples, `${of}.process_cpu_us`, peer.name, (after.processCpuUs - before.processCpuUs) / units)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(JSON.stringify(await benchProxy(), null, 2))
}
