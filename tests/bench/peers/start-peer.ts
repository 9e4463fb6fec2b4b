import { execFileSync, fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { fetchPackage, fetchedPackage } from '../../support/client/fetched-package.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import type { PeerUsage } from './usage.ts'

/** A proxy between the bench's client and its upstream. */
export interface Peer {
  readonly name: string
  readonly pool: Pool
  /** Extra headers for each request. */
  readonly headers: readonly string[]
  /** Returns usage so far; null if there is no process. */
  usage(): Promise<PeerUsage | null>
  /** Returns the current memory of the process and its children; null if there is no process. */
  memoryMb(): number | null
  stop(): Promise<void>
}

const HTTP_PROXY_3 = fetchedPackage('http-proxy-3', '2.0.1', moduleFolder('http-proxy-3'))
const FAST_PROXY = fetchedPackage('fast-proxy', '2.2.0', moduleFolder('fast-proxy'))
const GATEWAY = fetchedPackage('@portkey-ai/gateway', '1.15.2', (modules) =>
  join(modules, '@portkey-ai/gateway/build/start-server.js'),
)

/** Starts a peer in front of `upstream` by name. Throws the reason if it is not available here. */
export const PEERS = {
  direct: async (upstream: string) => peerOf('direct', upstream, null),
  bare_undici: (upstream: string) => startNode('bare_undici', 'bare-undici.ts', [upstream]),
  nginx: startNginx,
  fast_proxy: async (upstream: string) =>
    startNode('fast_proxy', 'fast-proxy.ts', [await fetched(FAST_PROXY), upstream]),
  http_proxy_3: async (upstream: string) =>
    startNode('http_proxy_3', 'http-proxy-3.ts', [await fetched(HTTP_PROXY_3), upstream]),
  gateway: startGateway,
  mitmproxy: startMitmproxy,
  aspy_capture_off: (upstream: string) => startNode('aspy_capture_off', 'aspy-proxy.ts', [upstream, 'off']),
  aspy_capture_on: (upstream: string) => startNode('aspy_capture_on', 'aspy-proxy.ts', [upstream, 'on']),
  aspy_storage_dead: (upstream: string) => startNode('aspy_storage_dead', 'aspy-proxy.ts', [upstream, 'dead']),
  aspy_whole_app: startWholeApp,
} as const
export type PeerName = keyof typeof PEERS

function moduleFolder(name: string) {
  return (modules: string) => (readdirSync(modules).includes(name) ? modules : null)
}

async function fetched(wanted: typeof GATEWAY): Promise<string> {
  const why = await fetchPackage(wanted)
  if (why !== null) throw new Error(`${wanted.name} ${wanted.version} could not be fetched from npm: ${why}`)
  return wanted.find() ?? ''
}

type PeerOptions = Partial<Pick<Peer, 'headers' | 'usage'>> & { readonly clean?: () => void }

function peerOf(name: string, url: string, child: ChildProcess | null, options: PeerOptions = {}): Peer {
  const { clean, ...own } = options
  const pool = new Pool(url, { headersTimeout: 0, bodyTimeout: 0 })
  return {
    name,
    pool,
    headers: [],
    usage: async () => (child?.pid === undefined ? null : usageOfTree(child.pid)),
    memoryMb: () => (child?.pid === undefined ? null : memoryOfTree(child.pid)),
    async stop() {
      await pool.destroy()
      if (child !== null && child.exitCode === null) {
        const gone = once(child, 'exit')
        if (child.connected) child.disconnect()
        else child.kill('SIGTERM')
        await gone
      }
      clean?.()
    },
    ...own,
  }
}

/** Starts a proxy in a separate Node process, which prints its port and reports its usage. */
async function startNode(name: string, file: string, args: readonly string[]): Promise<Peer> {
  const child = fork(join(import.meta.dirname, file), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [port] = (await once(child, 'message')) as [number]
  return peerOf(name, `http://127.0.0.1:${port}`, child, {
    async usage() {
      child.send('usage')
      const [usage] = (await once(child, 'message')) as [PeerUsage]
      return usage
    },
  })
}

/** Starts nginx set up for event streams: unbuffered, with keep-alive on both sides. */
async function startNginx(upstream: string): Promise<Peer> {
  const folder = makeTempFolder('aspy-nginx-')
  const port = await freePort()
  const { host } = new URL(upstream)
  writeFileSync(
    join(folder.path, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder.path}/pid; error_log ${folder.path}/error.log;
    events { worker_connections 1024; }
    http {
      access_log off; client_max_body_size 0; keepalive_requests 1000000;
      client_body_temp_path ${folder.path}/body; proxy_temp_path ${folder.path}/proxy;
      fastcgi_temp_path ${folder.path}/f; uwsgi_temp_path ${folder.path}/u; scgi_temp_path ${folder.path}/s;
      upstream up { server ${host}; keepalive 256; keepalive_requests 1000000; }
      server { listen 127.0.0.1:${port}; location / {
        proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection "";
        proxy_buffering off; proxy_request_buffering off; } }
    }`,
  )
  const child = spawn('nginx', ['-c', join(folder.path, 'nginx.conf'), '-e', join(folder.path, 'error.log')], {
    stdio: 'ignore',
  })
  return listening('nginx', child, port, { clean: () => folder.remove() })
}

/** Starts mitmproxy in reverse mode with streamed bodies. */
async function startMitmproxy(upstream: string): Promise<Peer> {
  const folder = makeTempFolder('aspy-mitmproxy-')
  const port = await freePort()
  const options = ['--set', 'stream_large_bodies=1', '--set', `confdir=${folder.path}`]
  const child = spawn('mitmdump', ['-q', '--mode', `reverse:${upstream}`, '-p', `${port}`, ...options], {
    stdio: 'ignore',
  })
  return listening('mitmproxy', child, port, { clean: () => folder.remove() })
}

/** Starts a gateway that uses the Messages API on both sides. */
async function startGateway(upstream: string): Promise<Peer> {
  const port = await freePort()
  const child = spawn(process.execPath, [await fetched(GATEWAY), `--port=${port}`, '--headless'], { stdio: 'ignore' })
  const route = ['x-portkey-provider', 'anthropic', 'x-portkey-custom-host', `${upstream}/v1`]
  return listening('gateway', child, port, { headers: [...route, 'authorization', 'Bearer bench'] })
}

/** Starts all of Aspy (proxy, recorder, store, surfaces), as `aspy serve` does. */
async function startWholeApp(upstream: string): Promise<Peer> {
  const folder = makeTempFolder('aspy-bench-data-')
  const entry = join(import.meta.dirname, '../../../src/main/cli/aspy.ts')
  const args = ['serve', '--json', '--no-open', '--data', folder.path, '--port', '0', '--proxy-port', '0']
  const child = spawn(process.execPath, [entry, ...args, '--upstream', upstream], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { proxy } = JSON.parse(line.toString()) as { proxy: string }
  return peerOf('aspy_whole_app', proxy, child, { clean: () => folder.remove() })
}

async function listening(name: string, child: ChildProcess, port: number, options: PeerOptions): Promise<Peer> {
  let failure: Error | null = null
  child.once('error', (error) => (failure = error))
  child.once('exit', (code) => (failure ??= new Error(`${name} ended with ${code} before it listened`)))
  while (!(await isListening(port))) {
    if (failure !== null) throw failure
    await pause(50)
  }
  return peerOf(name, `http://127.0.0.1:${port}`, child, options)
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Lists a process and its descendants, by `ps`. */
function processTree(root: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const parents = rows.map((row) => row.trim().split(/\s+/).map(Number))
  const tree = [root]
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid && child) tree.push(child)
  return tree
}

const TICK_US = 10_000
/** Linux only. Processor time in /proc has a resolution of 10 ms. */
function usageOfTree(root: number): PeerUsage {
  let ticks = 0
  for (const pid of processTree(root)) {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
    ticks += Number(fields[11]) + Number(fields[12])
  }
  return { threadCpuUs: Number.NaN, processCpuUs: ticks * TICK_US, capture: null }
}

function memoryOfTree(root: number): number {
  let kb = 0
  for (const pid of processTree(root)) {
    kb += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0)
  }
  return Math.round(kb / 1024)
}
