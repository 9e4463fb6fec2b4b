import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool, ProxyAgent, type Dispatcher } from 'undici'
import { createTunnelKey } from '../../src/main/base/installed-tunnel-key.ts'
import { findRunningApp } from '../../src/main/base/running-app.ts'
import { holdLease } from '../../src/main/cli/tunnel-lease.ts'
import { createAuthority, createLeaf } from '../../src/main/tunnel/authority/sign.ts'
import { makeTempFolder } from '../support/runner/temp-folder.ts'
import { benchRequest, startBenchUpstream } from './peers/bench-upstream.ts'

/**
 * Measures what full mode adds to the first byte beside base-URL mode, mitmproxy and nginx, in one run: all take turns, and
 * all reach the same plain upstream. `direct` has no TLS. nginx opens no tunnels (CONNECT): it only ends the TLS of the
 * host and forwards, which is the part of the work that it can do.
 */
const HOST = 'api.anthropic.com'
const ROUNDS = 4
const KEPT = 30
const FRESH = 6
const BODY = benchRequest(20_000, { chunks: 0, gapMs: 0, bytes: 500 })

interface Way {
  readonly name: string
  readonly origin: string
  connect(): Dispatcher
  stop(): Promise<void>
}

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

async function ended(child: ChildProcess): Promise<void> {
  const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null
  child.kill('SIGTERM')
  await gone
  children.delete(child)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function start(command: string, args: readonly string[]): ChildProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.add(child)
  return child
}

/** Aspy's base URL and, without caps, its full mode, through one app with all of its parts. */
async function aspyWays(upstream: string, config: string): Promise<Way[]> {
  const folder = makeTempFolder('aspy-bench-full-')
  writeFileSync(join(folder.path, 'config.toml'), config)
  const entry = join(import.meta.dirname, '../../src/main/cli/aspy.ts')
  const ports = ['--port', '0', '--proxy-port', '0']
  const args = ['serve', '--json', '--no-open', '--data', folder.path, ...ports, '--upstream', upstream]
  const child = start(process.execPath, [entry, ...args])
  child.stdout?.resume()
  let app = await findRunningApp(folder.path)
  while (app === null) {
    await pause(100)
    app = await findRunningApp(folder.path)
  }
  const leaving = new AbortController()
  const key = createTunnelKey()
  const input = { tunnel_key: key, https_proxy: '' }
  const { tunnel, ca } = await holdLease({ app, dataDir: folder.path, input, signal: leaving.signal })
  const token = `Basic ${Buffer.from(`aspy:${key}`).toString('base64')}`
  const base = app.proxyUrl ?? ''
  const stop = async () => {
    leaving.abort()
    await ended(child)
    folder.remove()
  }
  if (config !== '') return [{ name: 'aspy, base URL, a cap set', origin: base, connect: () => new Pool(base), stop }]
  return [
    { name: 'aspy, base URL', origin: base, connect: () => new Pool(base), stop: async () => undefined },
    {
      name: 'aspy, full mode',
      origin: `https://${HOST}`,
      connect: () => new ProxyAgent({ uri: tunnel, token, requestTls: { ca } }),
      stop,
    },
  ]
}

async function mitmproxy(upstream: string): Promise<Way> {
  const folder = makeTempFolder('aspy-bench-mitm-')
  const port = await freePort()
  const { hostname, port: to } = new URL(upstream)
  // Before the body is streamed, which is when it connects.
  const addon = join(folder.path, 'to_upstream.py')
  writeFileSync(
    addon,
    `def requestheaders(flow):
    flow.request.scheme, flow.request.host, flow.request.port = "http", "${hostname}", ${to}
`,
  )
  const options =
    '-q --listen-host 127.0.0.1 --set stream_large_bodies=1 --set connection_strategy=lazy --set upstream_cert=false'
  const own = ['-p', `${port}`, '--set', `confdir=${folder.path}`, '-s', addon]
  const child = start('mitmdump', [...options.split(' '), ...own])
  await answering(port, child)
  const ca = readFileSync(join(folder.path, 'mitmproxy-ca-cert.pem'), 'utf8')
  return {
    name: 'mitmproxy, forward proxy',
    origin: `https://${HOST}`,
    connect: () => new ProxyAgent({ uri: `http://127.0.0.1:${port}`, requestTls: { ca } }),
    stop: () => ended(child).then(folder.remove),
  }
}

async function nginx(upstream: string): Promise<Way> {
  const folder = makeTempFolder('aspy-bench-nginx-')
  const port = await freePort()
  const now = Date.now()
  const authority = await createAuthority({ hosts: [HOST], now, notAfter: now + 86_400_000 })
  const leaf = await createLeaf({ authority, host: HOST, now, notAfter: now + 86_400_000 })
  const at = (name: string) => join(folder.path, name)
  writeFileSync(at('cert.pem'), leaf.certificate)
  writeFileSync(at('key.pem'), leaf.privateKey)
  writeFileSync(
    at('nginx.conf'),
    `daemon off; worker_processes 1; pid ${at('pid')}; error_log ${at('error.log')};
    events { worker_connections 1024; }
    http {
      access_log off; client_max_body_size 0; keepalive_requests 1000000;
      client_body_temp_path ${at('body')}; proxy_temp_path ${at('proxy')};
      fastcgi_temp_path ${at('f')}; uwsgi_temp_path ${at('u')}; scgi_temp_path ${at('s')};
      upstream up { server ${new URL(upstream).host}; keepalive 64; }
      server { listen 127.0.0.1:${port} ssl; ssl_certificate ${at('cert.pem')}; ssl_certificate_key ${at('key.pem')};
        location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection "";
          proxy_buffering off; proxy_request_buffering off; } }
    }`,
  )
  const child = start('nginx', ['-c', at('nginx.conf'), '-e', at('error.log')])
  await answering(port, child)
  const origin = `https://127.0.0.1:${port}`
  return {
    name: 'nginx, TLS ended, no CONNECT',
    origin,
    connect: () => new Pool(origin, { connect: { ca: authority.certificate, servername: HOST } }),
    stop: () => ended(child).then(folder.remove),
  }
}

async function answering(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    try {
      execFileSync(process.execPath, [
        '-e',
        `require('net').connect(${port},'127.0.0.1').on('connect',()=>process.exit(0)).on('error',()=>process.exit(1))`,
      ])
      return
    } catch {
      // Not yet.
      await pause(100)
    }
  }
  throw new Error('it does not listen')
}

/** Milliseconds from sending a request to the head of its answer. */
async function firstByte({ name, origin }: Way, dispatcher: Dispatcher): Promise<number> {
  const before = performance.now()
  const headers = { 'content-type': 'application/json', 'x-api-key': 'sk-ant-bench', 'anthropic-version': '2023-06-01' }
  const answer = await dispatcher.request({ origin, path: '/v1/messages', method: 'POST', headers, body: BODY })
  const took = performance.now() - before
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${name}: status ${answer.statusCode}, ${text.slice(0, 300)}`)
  return took
}

const upstream = await startBenchUpstream()
const ways: Way[] = [
  { name: 'direct, no TLS', origin: upstream.url, connect: () => new Pool(upstream.url), stop: async () => undefined },
]
const missing: Record<string, string> = {}
const starting = {
  aspy: aspyWays(upstream.url, ''),
  guard: aspyWays(upstream.url, '[guard]\nday_usd = 100_000\n'),
  mitmproxy: mitmproxy(upstream.url).then((way) => [way]),
  nginx: nginx(upstream.url).then((way) => [way]),
}
await Promise.allSettled(Object.values(starting))
for (const [name, started] of Object.entries(starting)) {
  try {
    ways.push(...(await started))
  } catch (error) {
    missing[name] = String(error)
  }
}
const samples = new Map(ways.map(({ name }) => [name, { kept: [] as number[], fresh: [] as number[] }]))
const kept = new Map(ways.map((way) => [way.name, way.connect()]))
for (const way of ways)
  for (let warm = 0; warm < 5; warm += 1) await firstByte(way, kept.get(way.name) ?? way.connect())
for (let round = 0; round < ROUNDS; round += 1) {
  for (const way of [...ways.slice(round % ways.length), ...ways.slice(0, round % ways.length)]) {
    const of = samples.get(way.name)
    for (let at = 0; at < KEPT; at += 1) of?.kept.push(await firstByte(way, kept.get(way.name) ?? way.connect()))
    for (let at = 0; at < FRESH; at += 1) {
      const once = way.connect()
      of?.fresh.push(await firstByte(way, once))
      await once.destroy()
    }
  }
}
const quantile = (values: readonly number[], q: number) =>
  Math.round((values.toSorted((a, b) => a - b)[Math.floor(q * values.length)] ?? Number.NaN) * 100) / 100
const row = (values: readonly number[]) => ({
  p10: quantile(values, 0.1),
  p50: quantile(values, 0.5),
  p95: quantile(values, 0.95),
})
const report = Object.fromEntries(
  [...samples].map(([name, { kept: one, fresh }]) => [
    name,
    { kept_connection_ms: row(one), new_connection_ms: row(fresh) },
  ]),
)
console.log(JSON.stringify({ missing, first_byte: report }, null, 2))
for (const dispatcher of kept.values()) await dispatcher.destroy()
await Promise.all(ways.map((way) => way.stop()))
await upstream.close()
