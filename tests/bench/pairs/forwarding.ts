import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { ask } from '../../support/app/ask.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { startBenchUpstream } from '../peers/bench-upstream.ts'
import { PEERS, type Peer } from '../peers/start-peer.ts'
import { eventStreams, exchangesInALoop, largeBodies, warmUp } from '../proxy-load.ts'
import { startAppUnderTest, type AppUnderTest } from './app-under-test.ts'
import type { Figures } from './figures.ts'
import { quantile } from './quartiles.ts'

const LEVELS = [1, 10] as const
const ROUNDS = 1
/** While the recorder works: rounds, and this many agents that ask again after each answer and this pause. */
const BUSY_ROUNDS = 3
const BUSY_AGENTS = 4
const BUSY_PAUSE_MS = 50
const BODIES = ['200_kb', '2_mb'] as const

/**
 * Measures what the whole app adds while it records, relative to what a bare forwarder and nginx add in the same
 * sample: the first byte in loops of one and ten, and the chunks of the same number of streams.
 */
export async function measureForwarding(root: string): Promise<Figures> {
  using folder = makeTempFolder('aspy-pairs-')
  const upstream = await startBenchUpstream()
  await using app = await startAppUnderTest(root, folder.path, upstream.url)
  const peers = [
    await PEERS.direct(upstream.url),
    await PEERS.bare_undici(upstream.url),
    await PEERS.nginx(upstream.url),
    appAsPeer(app.proxy),
  ]
  const taken: Taken = new Map(peers.map(({ name }) => [name, new Map()]))
  try {
    for (const peer of peers) await warmUp(peer)
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const peer of peers) {
        const take = takeInto(taken, peer)
        for (const level of LEVELS) {
          await exchangesInALoop(peer, level, take)
          // The flood of a loop must not affect the next measurement.
          await app.settled()
          await eventStreams(peer, level, take)
          await app.settled()
        }
      }
    }
    const busy = await besideBusyRecorder(peers, app)
    return { ...relative(taken), ...busy }
  } finally {
    for (const peer of peers) await peer.stop()
    await upstream.close()
  }
}

/**
 * Measures large requests and the chunks of ten streams while agents keep the app's recorder busy on the same
 * processors, whichever peer forwards.
 */
async function besideBusyRecorder(peers: readonly Peer[], app: AppUnderTest): Promise<Figures> {
  const taken: Taken = new Map(peers.map(({ name }) => [name, new Map()]))
  const ended = new AbortController()
  const agents = Array.from({ length: BUSY_AGENTS }, () => keepAsking(app.proxy, ended.signal))
  for (let round = 0; round < BUSY_ROUNDS; round += 1) {
    for (let turn = 0; turn < peers.length; turn += 1) {
      const peer = peers[(turn + round) % peers.length]
      if (peer === undefined) continue
      const take = takeInto(taken, peer)
      await largeBodies(peer, take)
      await eventStreams(peer, 10, take)
    }
  }
  ended.abort()
  await Promise.all(agents)
  const at = (peer: string, measure: string, share: number) => timeOf(taken, peer, measure, share)
  const figures: Record<string, number> = {
    forwarding_busy_chunk_10_p99_to_direct:
      at('aspy', 'streams_10.chunk_ms', 0.99) / at('direct', 'streams_10.chunk_ms', 0.99),
  }
  for (const size of BODIES) {
    for (const peer of ['direct', 'nginx', 'aspy']) {
      figures[`forwarding_busy_${size}_${peer}_to_bare`] =
        at(peer, `request_${size}_ms`, 0.5) / at('bare_undici', `request_${size}_ms`, 0.5)
    }
  }
  return figures
}

async function keepAsking(proxy: string, signal: AbortSignal): Promise<void> {
  const session = randomUUID()
  const history: object[] = []
  while (!signal.aborted) {
    const prompt = `Prompt ${history.length} of ${session}: why does it stall? ${'ok line of output\n'.repeat(60)}`
    await (await ask(proxy, { prompt, session, history })).text()
    history.push({ role: 'user', content: [{ type: 'text', text: prompt }] })
    history.push({ role: 'assistant', content: [{ type: 'text', text: 'Done.' }] })
    if (history.length > 80) history.length = 0
    await pause(BUSY_PAUSE_MS)
  }
}

function appAsPeer(proxy: string): Peer {
  const pool = new Pool(new URL(proxy).origin, { headersTimeout: 0, bodyTimeout: 0 })
  return {
    name: 'aspy',
    pool,
    headers: [],
    usage: async () => null,
    memoryMb: () => null,
    stop: () => pool.destroy(),
  }
}

type Taken = Map<string, Map<string, number[]>>

const takeInto =
  (taken: Taken, { name }: Peer) =>
  (measure: string, value: number): void => {
    const values = taken.get(name)
    values?.set(measure, [...(values.get(measure) ?? []), value])
  }

const timeOf = (taken: Taken, peer: string, measure: string, share: number): number =>
  quantile(
    (taken.get(peer)?.get(measure) ?? []).toSorted((one, other) => one - other),
    share,
  )

/** Added times relative to those of the other peers. */
function relative(taken: Taken): Figures {
  const at = (peer: string, measure: string, share: number) => timeOf(taken, peer, measure, share)
  const figures: Record<string, number> = {}
  for (const level of LEVELS) {
    for (const kind of ['first_byte', 'chunk'] as const) {
      const measure = `streams_${level}.${kind}_ms`
      const added = (peer: string) => at(peer, measure, 0.5) - at('direct', measure, 0.5)
      const name = `forwarding_${kind}_${level}`
      figures[`${name}_added_ms`] = added('aspy')
      figures[`${name}_added_to_bare`] = added('aspy') / added('bare_undici')
      figures[`${name}_added_to_nginx`] = added('aspy') / added('nginx')
      if (kind === 'chunk')
        figures[`${name}_p99_to_bare`] = at('aspy', measure, 0.99) / at('bare_undici', measure, 0.99)
    }
  }
  return figures
}
