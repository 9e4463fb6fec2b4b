import type { Server, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { typedHere } from '../base/folder-of-run.ts'
import type { Listen } from '../base/listen.ts'
import { InstalledTunnelKey } from '../base/installed-tunnel-key.ts'
import { createSpareMemory } from '../base/spare-memory.ts'
import { SessionUpstreams } from '../base/session-upstreams.ts'
import type { Gate } from '../proxy/gate.ts'
import { endWithAnswer } from '../proxy/in-flight.ts'
import type { MessagesError } from '../proxy/messages-error.ts'
import { createProxy, type Proxy } from '../proxy/proxy.ts'
import { networkOf } from '../tunnel/network.ts'
import { Refusal } from '../tunnel/refusal.ts'
import { Tunnel } from '../tunnel/tunnel.ts'
import { TunnelKeys, type ToldRun } from '../tunnel/tunnel-keys.ts'
import { createAwayServer } from './away-server.ts'
import { PassedCount } from './passed-count.ts'
import type { Passed, PassingRules, PortName } from './protocol.ts'

const CHECK_IDLE_MS = 50
/** After an app's start, runs tell it within this time that they live. */
const RUNS_RETURN_MS = 60_000
const QUIET = { debug: () => undefined, warn: () => undefined }
const awayFor = (dataDir: string): MessagesError => ({
  status: 503,
  type: 'overloaded_error',
  message: `Aspy is not running, and [guard] when_away is set to refuse. Start it with ${typedHere('aspy restart', dataDir)}.`,
})

/** Serves connections while no app does: by the rules of the proxy and the tunnel, which are the app's own code. */
export class PassBy {
  readonly #count = new PassedCount()
  #rules: PassingRules | null = null
  #servers: Readonly<Record<PortName, (number: number) => Promise<Server>>> | null = null
  readonly #open = new Map<string, Promise<Server>>()
  readonly #proxies = new Set<Proxy>()
  #installed: InstalledTunnelKey | null = null
  readonly #keys = new TunnelKeys(() => this.#installed?.read() ?? null)
  /** Runs by the hash of their key, with the number of the app that told of them last. */
  readonly #runs = new Map<string, { readonly run: ToldRun; readonly app: number }>()
  #apps = 0
  readonly #memory = createSpareMemory()

  /** Takes over the rules of an app. */
  follow(rules: PassingRules): void {
    const isNew = JSON.stringify(rules) !== JSON.stringify(this.#rules)
    if (!isNew) return
    this.#rules = rules
    this.#open.clear()
    this.#installed = new InstalledTunnelKey(rules.dataDir)
    this.#servers = {
      proxy: (number) =>
        serverOf((listen) => {
          const proxy = proxyOf(rules, this.#count, number, listen)
          this.#proxies.add(proxy)
          return proxy.listen()
        }),
      tunnel: (number) => serverOf((listen) => tunnelOf(rules, this.#keys, this.#count, number, listen)),
      app: (port) => Promise.resolve(createAwayServer({ rules, port, onHook: (session) => this.#count.hook(session) })),
    }
  }

  /** An app begins to serve: runs of full mode tell it that they live, and WebSockets go back to it. */
  begin(): void {
    this.#apps += 1
    for (const proxy of this.#proxies) proxy.renewSockets()
    const app = this.#apps
    setTimeout(() => this.#tidyUp(app), RUNS_RETURN_MS).unref()
  }

  passed(): Passed {
    return this.#count.passed()
  }

  /** Serves a connection. */
  take(port: PortName, socket: Socket): void {
    const number = socket.localPort ?? 0
    const create = this.#servers?.[port]
    // No app has ever served: there are no rules to forward by.
    if (create === undefined) return void socket.destroy()
    const name = `${port} ${number}`
    const server = this.#open.get(name) ?? create(number)
    this.#open.set(name, server)
    server.then(
      (opened) => {
        opened.emit('connection', socket)
        // It was accepted without reading.
        socket.resume()
      },
      () => socket.destroy(),
    )
  }

  /** Resolves once no request is in progress. */
  async idle(): Promise<void> {
    while ([...this.#proxies].some((proxy) => proxy.inFlight() > 0)) await pause(CHECK_IDLE_MS)
  }

  /** A run of full mode has begun; its key as a hash. */
  admit(key: string, run: ToldRun): void {
    this.#runs.set(key, { run, app: this.#apps })
    this.#keys.adopt(key, run)
  }

  dismiss(key: string): void {
    this.#runs.delete(key)
    this.#keys.forget(key)
  }

  /** Returns the runs of full mode that are known, by the hash of their keys. */
  runs(): readonly (readonly [key: string, run: ToldRun])[] {
    return [...this.#runs].map(([key, { run }]) => [key, run] as const)
  }

  /**
   * Forgets the runs that ended before this app served: those that live have told it, or a later one. Runs may not have found
   * a later app yet. Gives memory back to the system.
   */
  #tidyUp(served: number): void {
    this.#memory.giveBack()
    for (const [key, { app }] of this.#runs) if (app < served) this.dismiss(key)
  }
}

/** Returns the server of a part that would bind a port. It never listens: it serves the connections that it is given. */
async function serverOf(open: (listen: Listen) => Promise<unknown>): Promise<Server> {
  const found = Promise.withResolvers<Server>()
  await open((server, port) => {
    // A connection that is kept would stay here when the app is back.
    endWithAnswer(server)
    // Node's checks of slow heads begin with this event.
    server.emit('listening')
    found.resolve(server)
    return Promise.resolve(port)
  })
  return found.promise
}

function proxyOf(rules: PassingRules, count: PassedCount, port: number, listen: Listen) {
  const { dataDir, upstream, upstreams, webSockets, allowedHosts, whenAway } = rules
  return createProxy({
    port,
    upstream: new URL(upstream),
    upstreams,
    ownUpstreams: new SessionUpstreams(dataDir),
    webSockets: whenAway === 'refuse' ? 'refuse' : webSockets,
    tap: count,
    gate: whenAway === 'refuse' ? closedFor(dataDir) : null,
    allowedHosts,
    listen,
    logger: QUIET,
  })
}

function tunnelOf(
  { dataDir, tunnelHosts, whenAway }: PassingRules,
  keys: TunnelKeys,
  count: PassedCount,
  port: number,
  listen: Listen,
) {
  return new Tunnel({
    port,
    keys,
    clients: null,
    network: networkOf(process.env),
    tap: null,
    listen,
    logger: QUIET,
    onTarget({ host }) {
      const found = tunnelHosts.find((known) => known.host === host)
      if (found === undefined) return
      if (whenAway === 'refuse' || !found.isOwn) throw new Refusal('away', awayFor(dataDir).message)
      count.tunnel()
    },
  }).listen()
}

/** Refuses every request that has a body: all that a model answers have one. */
const closedFor = (dataDir: string): Gate => ({
  enter: () => ({
    requestBytes: () => undefined,
    requestEnd: () => undefined,
    verdict: Promise.resolve(awayFor(dataDir)),
    leave: () => undefined,
    finish: () => undefined,
  }),
  gatesSocket: () => false,
})
