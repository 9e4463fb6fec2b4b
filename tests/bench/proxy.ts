import { pathToFileURL } from 'node:url'
import { startBenchUpstream } from './peers/bench-upstream.ts'
import { PEERS, type Peer, type PeerName } from './peers/start-peer.ts'
import { eventStreams, exchangesInALoop, fidelity, largeBodies, manyStreams, warmUp, type Take } from './proxy-load.ts'

/**
 * Measures the proxy's overhead against a direct call, a bare undici forwarder and comparable proxies, in one run. Client and upstream
 * share this process and its clock; each proxy runs in a separate process. All take turns, round by round, so that load on the machine
 * affects them alike. `node tests/bench/proxy.ts [PEER…]` runs some of them.
 */
const STREAMS = [1, 10, 100] as const
const ROUNDS = 3
const MANY_STREAMS = 10_000
/** Pairs of runs with capture off and on, in alternating order. */
const CAPTURE_PAIRS = 15

/** Samples by measure and peer. */
type Samples = Map<string, Map<string, number[]>>

export async function benchProxy(asked: readonly string[]): Promise<Record<string, unknown>> {
  const upstream = await startBenchUpstream()
  const peers: Peer[] = []
  /** Peers that could not be started, and measures that a peer failed, with the reason. */
  const missing: Record<string, string> = {}
  const attempt = async (peer: Peer, what: string, measure: () => Promise<unknown>) => {
    try {
      await measure()
    } catch (error) {
      missing[`${peer.name}: ${what}`] = error instanceof Error ? error.message : String(error)
    }
  }
  const samples: Samples = new Map()
  try {
    for (const name of Object.keys(PEERS) as PeerName[]) {
      if (asked.length > 0 && !asked.includes(name)) continue
      try {
        peers.push(await PEERS[name](upstream.url))
      } catch (error) {
        missing[name] = error instanceof Error ? error.message : String(error)
      }
    }
    for (const peer of peers) await warmUp(peer)
    for (let round = 0; round < ROUNDS; round += 1) {
      // Rotates the order of peers between rounds.
      const turns = peers
        .map((_, index) => peers[(index + round * 3) % peers.length])
        .filter((peer) => peer !== undefined)
      for (const streams of STREAMS) {
        for (const peer of turns) {
          await attempt(peer, 'exchanges', () => exchangesInALoop(peer, streams, takeFor(samples, peer)))
        }
        for (const peer of turns) {
          await attempt(peer, 'event streams', () => eventStreams(peer, streams, takeFor(samples, peer)))
        }
      }
      for (const peer of turns) {
        await attempt(peer, 'large bodies', () => largeBodies(peer, takeFor(samples, peer)))
      }
    }
    const off = peers.find(({ name }) => name === 'aspy_capture_off')
    const on = peers.find(({ name }) => name === 'aspy_capture_on')
    const captureCost = off && on ? await costOfCapture(off, on) : null
    const passed: Record<string, unknown> = {}
    const memory: Record<string, unknown> = {}
    for (const peer of peers) {
      await attempt(peer, 'fidelity', async () => {
        passed[peer.name] = await fidelity(peer)
      })
      const before = peer.memoryMb()
      if (before === null) continue
      await attempt(peer, 'many streams', async () => {
        await manyStreams(peer, MANY_STREAMS)
        memory[peer.name] = { before_mb: before, after_10_000_streams_mb: peer.memoryMb() }
      })
    }
    const capture = await peers.find(({ name }) => name === 'aspy_capture_on')?.usage()
    return {
      missing,
      ...reportOf(samples),
      capture_cost: captureCost,
      fidelity: passed,
      memory,
      capture: capture?.capture ?? null,
    }
  } finally {
    for (const peer of peers) await peer.stop()
    await upstream.close()
  }
}

/**
 * Measures the cost of capture: on relative to off in adjacent pairs, as median and quartiles. Covers rates and processor time per
 * exchange, for the forwarding thread and the process.
 */
async function costOfCapture(off: Peer, on: Peer): Promise<Record<string, unknown>> {
  const ratios = new Map<string, number[]>()
  for (let pair = 0; pair < CAPTURE_PAIRS; pair += 1) {
    for (const streams of STREAMS) {
      const taken: Samples = new Map()
      for (const peer of pair % 2 === 0 ? [off, on] : [on, off]) {
        await exchangesInALoop(peer, streams, takeFor(taken, peer))
      }
      for (const [measure, byPeer] of taken) {
        if (measure.endsWith('_ms')) continue
        const [without = Number.NaN] = byPeer.get(off.name) ?? []
        const [withIt = Number.NaN] = byPeer.get(on.name) ?? []
        ratios.set(measure, [...(ratios.get(measure) ?? []), withIt / without])
      }
    }
  }
  const row = (values: readonly number[]) => ({
    median: round(quantile(values, 0.5)),
    quartiles: [round(quantile(values, 0.25)), round(quantile(values, 0.75))],
  })
  return Object.fromEntries([...ratios].map(([measure, values]) => [measure, row(values)]))
}

function takeFor(samples: Samples, { name }: Peer): Take {
  return (measure, value) => {
    const byPeer = samples.get(measure) ?? new Map<string, number[]>()
    const values = byPeer.get(name) ?? []
    samples.set(measure, byPeer.set(name, values))
    values.push(value)
  }
}

/** Summarises by measure and peer: p50, p99 and the ratio to the bare forwarder for times; the median for rates and processor time. */
function reportOf(samples: Samples): Record<string, unknown> {
  const report: Record<string, unknown> = {}
  for (const [measure, byPeer] of samples) {
    const bare = byPeer.get('bare_undici') ?? []
    const row: Record<string, unknown> = {}
    for (const [peer, values] of byPeer) {
      const p50 = round(quantile(values, 0.5))
      const over_bare = round(quantile(values, 0.5) / quantile(bare, 0.5))
      if (!measure.endsWith('_ms')) row[peer] = { p50, over_bare }
      else {
        const p99_over_bare = round(quantile(values, 0.99) / quantile(bare, 0.99))
        row[peer] = { p50, p99: round(quantile(values, 0.99)), over_bare, p99_over_bare, samples: values.length }
      }
    }
    report[measure] = row
  }
  return report
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}

const round = (value: number) => Math.round(value * 1000) / 1000

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(JSON.stringify(await benchProxy(process.argv.slice(2)), null, 2))
}
