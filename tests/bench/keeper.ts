import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { askKeeper } from '../../src/main/keeper/control.ts'
import { startKeptFrom, type KeptApp } from '../support/keeper/kept-app.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { until } from '../support/runner/until.ts'
import { benchRequest, startBenchUpstream } from './peers/bench-upstream.ts'
import { quantiles } from './timed.ts'

/**
 * Measures what the keeper costs, in pairs that take turns: an app below a keeper beside one that has lost its own, on kept
 * connections and on new ones, these also through a bare TCP forwarder; and a keeper that passes by, beside a bare
 * forwarder. Then the keeper's own memory and descriptors before and after many connections. With `--connections N`, more
 * of them.
 */
const ROUNDS = 15
const KEPT = 40
const FRESH = 20
const option = process.argv.indexOf('--connections')
const CONNECTIONS = option < 0 ? 5000 : Number(process.argv[option + 1])
const AT_ONCE = 20
const BODY = benchRequest(2000, { chunks: 0, gapMs: 0, bytes: 500 })

const asked = (origin: string, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    const from = performance.now()
    const headers = { 'x-api-key': 'sk-ant-dummy', 'content-type': 'application/json', 'content-length': BODY.length }
    const sent = request(`${origin}/v1/messages`, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', () => resolve(performance.now() - from))
    })
    sent.once('error', reject).end(BODY)
  })

const keptAgents = new Map<string, Agent>()

async function block(origin: string, isKept: boolean): Promise<number[]> {
  const agent = isKept ? (keptAgents.get(origin) ?? new Agent({ keepAlive: true, maxSockets: 1 })) : new Agent()
  if (isKept) keptAgents.set(origin, agent)
  const times: number[] = []
  if (isKept) await asked(origin, agent)
  for (let n = 0; n < (isKept ? KEPT : FRESH); n += 1) times.push(await asked(origin, agent))
  return times
}

/** Prints the medians of two ways that take turns, and the quartiles of their difference in each pair. */
async function pairs(what: string, isKept: boolean, one: string, other: string): Promise<void> {
  const differences: number[] = []
  const [ones, others]: [number[], number[]] = [[], []]
  // A program that has just started is slow.
  for (const origin of [one, other]) await block(origin, isKept)
  for (let round = 0; round < ROUNDS; round += 1) {
    const [first, second] = round % 2 === 0 ? [one, other] : [other, one]
    const times = new Map([[first, await block(first, isKept)]])
    times.set(second, await block(second, isKept))
    const [a, b] = [quantiles(times.get(one) ?? []).p50, quantiles(times.get(other) ?? []).p50]
    ones.push(a)
    others.push(b)
    differences.push(a - b)
  }
  const [a, b] = [quantiles(ones).p50, quantiles(others).p50]
  const sorted = differences.toSorted((x, y) => x - y)
  const quartiles = [0.25, 0.5, 0.75].map((part) => Math.round((sorted[Math.floor(ROUNDS * part)] ?? 0) * 1000))
  console.log(
    `${what}: ${a.toFixed(2)} and ${b.toFixed(2)} ms (p50), ratio ${(a / b).toFixed(2)}; ` +
      `difference of ${ROUNDS} pairs ${quartiles.join(', ')} µs (quartiles)`,
  )
}

/** The memory that only this process holds, and its descriptors. Linux only. */
function held(pid: number): string {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kilobytes = (name: string) => Number(new RegExp(String.raw`^${name}:\s+(\d+)`, 'm').exec(rollup)?.[1] ?? 0)
  const own = kilobytes('Private_Dirty') + kilobytes('Private_Clean')
  return `${Math.round(own / 1024)} MB of its own, ${readdirSync(`/proc/${pid}/fd`).length} descriptors`
}

/** Processor time of the main thread, in µs. Linux only. */
const processorUs = (pid: number) => Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1000

/** Says what many connections cost the keeper, on which other work of the machine has little influence. */
async function connectOften(what: string, { proxy, keeperPid }: KeptApp): Promise<void> {
  const agent = new Agent({ maxSockets: AT_ONCE })
  const before = processorUs(keeperPid)
  for (let n = 0; n < CONNECTIONS; n += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => asked(proxy, agent)))
  }
  const each = Math.round((processorUs(keeperPid) - before) / CONNECTIONS)
  console.log(
    `the keeper, after ${CONNECTIONS} connections ${what}: ${held(keeperPid)}, ${each} µs of processor time each`,
  )
}

const upstream = await startBenchUpstream()
const [kept, alone] = [makeTempFolder('aspy-bench-keeper-'), makeTempFolder('aspy-bench-alone-')]
// As it is installed: its memory depends on the flags that this gives it.
const entry = join(import.meta.dirname, '../../bin/aspy')
const start = (path: string): Promise<KeptApp> => startKeptFrom(entry, path, upstream.url)
try {
  await using below = await start(kept.path)
  await using lost = await start(alone.path)
  process.kill(lost.keeperPid, 'SIGKILL')
  await until('it goes on alone', async () => (await askKeeper(alone.path, 'status'))?.pid === lost.appPid())
  await until('it serves', () =>
    asked(lost.proxy, new Agent()).then(
      () => true,
      () => false,
    ),
  )
  await pairs('kept connections, with a keeper and without', true, below.proxy, lost.proxy)
  await pairs('new connections, with a keeper and without', false, below.proxy, lost.proxy)
  const tcp = fork(join(import.meta.dirname, 'peers/bare-tcp.ts'), [new URL(lost.proxy).port])
  const [tcpPort] = (await once(tcp, 'message')) as [number]
  const forwarded = lost.proxy.replace(/:\d+/, `:${tcpPort}`)
  await pairs('new connections, through a bare TCP forwarder and without', false, forwarded, lost.proxy)
  tcp.disconnect()
  console.log(`the keeper at its start: ${held(below.keeperPid)}`)
  await connectOften('handed over', below)
  const peer = fork(join(import.meta.dirname, 'peers/bare-undici.ts'), [upstream.url])
  const [port] = (await once(peer, 'message')) as [number]
  await askKeeper(kept.path, 'stop')
  await pairs('new connections, passing by and a bare forwarder', false, below.proxy, `http://127.0.0.1:${port}`)
  await connectOften('passed by', below)
  peer.disconnect()
} finally {
  kept.remove()
  alone.remove()
  await upstream.close()
}
