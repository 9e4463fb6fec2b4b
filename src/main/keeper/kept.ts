import type { Server, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { AspyError } from '../../shared/contract/errors.ts'
import { counted } from '../../shared/counted.ts'
import { localTime } from '../base/local-time.ts'
import { listen, type Listen } from '../base/listen.ts'
import { askKeeper, serveControl, type KeeperRequest, type KeeperStatus } from './control.ts'
import type { ToldRun, TunnelKeyEvents } from '../tunnel/tunnel-keys.ts'
import {
  ALIVE_MS,
  FRESH_MS,
  HOLD_MS,
  KEPT_VARIABLE,
  monotonicMs,
  type Passed,
  type PassingRules,
  type PortName,
  type ToApp,
  type ToKeeper,
} from './protocol.ts'

/** After the keeper's death its ports are free within this time. */
const REBIND_MS = 5000

/** How often the keeper learns what an app waits for that ends. */
const SAY_MS = 500

const NONE: Passed = { requests: {}, tunnels: 0, from: null, to: null }

/** The app's side of the keeper: takes the connections that it hands over, and binds the ports itself if it dies. */
export class Kept {
  readonly #servers = new Map<PortName, { readonly server: Server; number: number }>()
  readonly #bindings = new Map<PortName, PromiseWithResolvers<number>>()
  readonly #logger: { warn(fields: object, message: string): void }
  /** Asks the app to end, within a time if one is given, and to leave its store to another one that has its place. */
  onEnd: (withinMs: number | null, isReplaced: boolean) => void = () => undefined
  /** Receives the runs of full mode of the app before. */
  onRun: (key: string, run: ToldRun) => void = () => undefined
  #recorder: { call(name: 'events.post', input: object): Promise<unknown> } | null = null
  #passed: Passed | null = null
  #notReplacedAt: number | null = null
  #rules: PassingRules | null = null
  #control: Server | null = null
  readonly #since = new Date()
  #isLeaving = false
  #saying: NodeJS.Timeout | undefined
  #isForGood = false
  #isReady = false
  /** It is the first app of its keeper, and not one that was started again. */
  readonly isFirst = process.env[KEPT_VARIABLE] === 'first'
  /** Another app of the keeper still serves: this one takes its place. */
  readonly isBeside = process.env[KEPT_VARIABLE] === 'beside'

  constructor(logger: { warn(fields: object, message: string): void }) {
    this.#logger = logger
    delete process.env[KEPT_VARIABLE]
    // As the keeper does.
    process.on('SIGTSTP', () => undefined)
    process.on('message', (message: ToApp, socket?: Socket) => this.#receive(message, socket))
    process.once('disconnect', () => void this.#goOnAlone())
  }

  /** What Health says of the keeper: `isKept`: false once it has died. */
  facts(): { readonly isKept: boolean; readonly notReplacedAt: number | null } {
    return { isKept: process.connected, notReplacedAt: this.#notReplacedAt }
  }

  /** What passed unrecorded before this app began; null if nothing did. */
  get passed(): Passed | null {
    return this.#passed
  }

  /** Returns whether an app that has lost its keeper leaves its ports to this one. */
  async takesOver(dataDir: string): Promise<boolean> {
    return (await askKeeper(dataDir, 'yield'))?.state === 'leaving'
  }

  /** Returns what gives a server the connections of a port. */
  listen(port: PortName): Listen {
    return async (server, number, advice) => {
      if (!process.connected) return listen(server, number, advice)
      const binding = Promise.withResolvers<number>()
      this.#bindings.set(port, binding)
      this.#send({ kind: 'bind', port, number, advice })
      const bound = await binding.promise
      this.#servers.set(port, { server, number: bound })
      server.once('close', () => this.#servers.delete(port))
      // Node's checks of slow heads begin with this event.
      server.emit('listening')
      return bound
    }
  }

  /** Tells the keeper how to forward requests while no app serves. */
  follow(rules: PassingRules): void {
    this.#rules = rules
    this.#send({ kind: 'rules', rules })
  }

  /** Marks sessions whose requests pass unrecorded by an event of each. Call it before `ready`. */
  markIn(recorder: { call(name: 'events.post', input: object): Promise<unknown> }): void {
    this.#recorder = recorder
  }

  /** Tells the keeper that the app serves, and whether it can write to the data folder. */
  ready(canStore: boolean): void {
    this.#send({ kind: 'ready', canStore })
    this.#isReady = true
    // The first one at once: the keeper watches an app from then on.
    this.#send({ kind: 'alive' })
    setInterval(() => this.#send({ kind: 'alive' }), ALIVE_MS).unref()
  }

  /** Asks the keeper for another app in the place of this one, which goes on until then. Returns false if it cannot. */
  replace(): boolean {
    if (!process.connected || !this.#isReady || this.#isLeaving) return false
    this.#send({ kind: 'replace' })
    return true
  }

  /** Tells the keeper that the app takes no more connections; `forGood`: the keeper is not needed either. */
  leave(forGood: boolean): void {
    this.#isLeaving = true
    this.#isForGood ||= forGood
    this.#send({ kind: 'leaving', forGood: this.#isForGood })
  }

  /** Tells the keeper again and again what is waited for. */
  sayWaits(count: () => number): void {
    this.#saying ??= setInterval(() => this.#send({ kind: 'waits', count: count() }), SAY_MS)
    this.#send({ kind: 'waits', count: count() })
  }

  /** Lets this process end. */
  release(): void {
    clearInterval(this.#saying)
    this.#isLeaving = true
    this.#control?.close()
    if (process.connected) process.disconnect()
  }

  /** Tells the keeper which keys of runs are valid. */
  readonly runs: TunnelKeyEvents = {
    admitted: (key, run) => this.#send({ kind: 'run', key, run }),
    dismissed: (key) => {
      // An app that ends closes the leases of runs that live on.
      if (!this.#isLeaving) this.#send({ kind: 'run_ended', key })
    },
  }

  #send(message: ToKeeper): void {
    // The keeper may die at any moment: the app then goes on without it.
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
  }

  #receive(message: ToApp, socket: Socket | undefined): void {
    switch (message.kind) {
      case 'connection':
        if (socket === undefined) return this.#send({ kind: 'took', id: message.id })
        return this.#take(message, socket)
      case 'bound':
        return this.#bindings.get(message.port)?.resolve(message.number)
      case 'refused': {
        const { port, code } = message
        const error = code === 'port_taken' ? new AspyError(code, message.message) : new Error(message.message)
        return this.#bindings.get(port)?.reject(error)
      }
      case 'end':
        return this.onEnd(message.withinMs, message.isReplaced)
      case 'not_replaced':
        this.#notReplacedAt = Date.now()
        return
      case 'run':
        return this.onRun(message.key, message.run)
      case 'unrecorded':
        this.#passed = message.passed
        return this.#noteUnrecorded(message.passed, message.told)
    }
  }

  /** Marks each session whose requests have passed, or whose hooks were dropped, since the app before began. */
  #noteUnrecorded({ requests, hooksOf = {}, to }: Passed, told: Passed | null): void {
    for (const session_id of new Set([...Object.keys(requests), ...Object.keys(hooksOf)])) {
      const missed = (requests[session_id] ?? 0) - (told?.requests[session_id] ?? 0)
      const hooks = (hooksOf[session_id] ?? 0) - (told?.hooksOf?.[session_id] ?? 0)
      if (session_id === '' || (missed === 0 && hooks === 0) || to === null) continue
      const what = missed === 0 ? counted(hooks, 'hook') : counted(missed, 'request')
      const more = missed === 0 || hooks === 0 ? '' : `; so did ${counted(hooks, 'hook')}`
      const message = `${what} passed unrecorded until ${localTime(to)}, because Aspy was down${more}`
      const payload = { origin: 'capture', type: 'unrecorded', message, status: null }
      this.#recorder
        ?.call('events.post', { session_id, kind: 'error', payload, success: false, error_message: message })
        .catch((err: unknown) => this.#logger.warn({ err }, 'a session is not marked as unrecorded'))
    }
  }

  /**
   * Serves a connection. The keeper forwards it by itself if it is not told within `HOLD_MS` that the app took it. A process
   * may be stopped at any point in between, so its age is looked at again once the keeper can read that: until then nothing
   * of it was read.
   */
  #take({ id, port, at }: Extract<ToApp, { kind: 'connection' }>, socket: Socket): void {
    const age = () => monotonicMs() - at
    const server = this.#servers.get(port)?.server
    if (server === undefined || age() >= FRESH_MS) {
      socket.destroy()
      return this.#send({ kind: 'left', id })
    }
    const serve = () => {
      if (age() >= HOLD_MS) return void socket.destroy()
      // As in connections that a server accepts itself.
      socket.allowHalfOpen = true
      server.emit('connection', socket)
    }
    // A keeper that has died serves nothing any more.
    if (process.connected) process.send?.({ kind: 'took', id } satisfies ToKeeper, undefined, undefined, serve)
    else serve()
  }

  async #goOnAlone(): Promise<void> {
    for (const binding of this.#bindings.values()) binding.reject(new Error('the keeper has ended'))
    if (this.#isLeaving) return
    this.#logger.warn({}, 'the keeper has ended: the app binds its ports itself')
    await Promise.all([...this.#servers].map(([port, { server, number }]) => this.#rebind(port, server, number)))
    if (this.#rules === null) return
    const { dataDir } = this.#rules
    this.#control = await serveControl(dataDir, (request) => Promise.resolve(this.#answerAlone(request)))
  }

  /** Answers in the place of the keeper that has died. */
  #answerAlone(request: KeeperRequest): KeeperStatus {
    const isLeaving = request === 'yield' || request === 'stop' || request === 'stop_now'
    const ports = Object.fromEntries([...this.#servers].map(([name, { number }]) => [name, number]))
    if (isLeaving) {
      // The next keeper needs the ports and the name of this socket. Connections that are open go on.
      this.#control?.close()
      for (const { server } of this.#servers.values()) server.close()
      setImmediate(() => this.onEnd(request === 'stop_now' ? 0 : null, request === 'yield'))
    }
    return {
      pid: process.pid,
      appPid: process.pid,
      leavingPids: [],
      waits: 0,
      state: isLeaving ? 'leaving' : 'running',
      since: this.#since.toISOString(),
      // It does not count them.
      usedAt: new Date().toISOString(),
      quickEnds: 0,
      trouble: null,
      ports,
      passed: this.#passed ?? NONE,
    }
  }

  async #rebind(port: PortName, server: Server, number: number): Promise<void> {
    for (const started = performance.now(); ; await pause(20)) {
      try {
        await listen(server, number, '')
        return
      } catch (error) {
        if (performance.now() - started < REBIND_MS) continue
        this.#logger.warn({ err: error, port }, 'a port could not be bound again')
        return
      }
    }
  }
}
