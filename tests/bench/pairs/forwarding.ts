import { Pool } from 'undici'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { startBenchUpstream } from '../peers/bench-upstream.ts'
import { PEERS, type Peer } from '../peers/start-peer.ts'
import { eventStreams, exchangesInALoop, warmUp } from '../proxy-load.ts'
import { startAppUnderTest } from './app-under-test.ts'
import type { Figures } from './figures.ts'
import { quantile } from './quartiles.ts'

const LEVELS = [1, 10] as const
const ROUNDS = 1

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
  const taken = new Map<string, Map<string, number[]>>(peers.map(({ name }) => [name, new Map()]))
  try {
    for (const peer of peers) await warmUp(peer)
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const peer of peers) {
        const take = (measure: string, value: number) => {
          const values = taken.get(peer.name)
          values?.set(measure, [...(values.get(measure) ?? []), value])
        }
        for (const level of LEVELS) {
          await exchangesInALoop(peer, level, take)
          // The flood of a loop must not affect the next measurement.
          await app.settled()
          await eventStreams(peer, level, take)
          await app.settled()
        }
      }
    }
  } finally {
    for (const peer of peers) await peer.stop()
    await upstream.close()
  }
  return relative(taken)
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

/** Added times relative to those of the other peers. */
function relative(taken: ReadonlyMap<string, ReadonlyMap<string, number[]>>): Figures {
  const at = (peer: string, measure: string, share: number) =>
    quantile(
      (taken.get(peer)?.get(measure) ?? []).toSorted((one, other) => one - other),
      share,
    )
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
