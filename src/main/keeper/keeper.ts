import { DAY_MS } from '../../shared/time-units.ts'
import { findRunningApp } from '../base/running-app.ts'
import { AppProcess, type AppEnd, type ForKeeper } from './app-process.ts'
import { hasControl, printsToLog, serveControl, type KeeperRequest, type KeeperStatus } from './control.ts'
import { HeldConnections } from './held-connections.ts'
import { isInTime, KeeperTrouble } from './keeper-trouble.ts'
import { PassBy } from './pass-by.ts'
import { KeptPorts } from './kept-ports.ts'
import { minutesIn } from './leave-after.ts'
import { readLastServed, writeLastServed } from './last-served.ts'
import type { Passed, PassingRules, StartedAs } from './protocol.ts'

/** A new app beside one that serves has this long to be ready. */
const BESIDE_MS = 60_000

export interface KeeperOptions {
  /** The script and arguments to start an app with. */
  readonly command: readonly [string, ...string[]]
  /** Starts the app again even if none has ever served. */
  readonly isPatient: boolean
  /** The data folder, if what an app says is kept there for the time before the next one serves. */
  readonly dataDir: string | null
  /** Called once nothing is left to keep: with the end of the app. */
  onEnd(end: AppEnd): void
}

/**
 * Holds the listening sockets for an app that it starts, and starts it again when it ends. It reads nothing of what passes,
 * except while no app comes back in time: then it forwards requests by the proxy's own rules, unrecorded and counted.
 */
export class Keeper {
  readonly #options: KeeperOptions
  readonly #ports = new KeptPorts((port, socket) => {
    this.#unused?.refresh()
    if (port !== 'app') this.#usedAt = Date.now()
    this.#held.add(port, socket)
  })
  readonly #held: HeldConnections
  readonly #passBy = new PassBy()
  /** The app that connections are handed to; null while there is none. */
  #app: AppProcess | null = null
  /** A new app that is about to take the place of the other one. */
  #next: AppProcess | null = null
  /** Apps that finish their streams, while another one serves. */
  readonly #leaving = new Set<AppProcess>()
  /** What the person wants: an app, none for now, or the end of all. */
  #goal: 'run' | 'stopped' | 'ended' = 'run'
  /** The app has said that nobody needs it. */
  #isLeft = false
  /** An app of this keeper has served. */
  #hasServed = false
  #rules: PassingRules | null = null
  /** What passed unrecorded before the last app began, as it knows. */
  #told: Passed | null = null
  readonly #dataDir = () => this.#rules?.dataDir ?? this.#options.dataDir
  readonly #trouble = new KeeperTrouble(this.#dataDir)
  /** Set once no further client is sent here. */
  #unused: NodeJS.Timeout | null = null
  #timer: NodeJS.Timeout | null = null
  #state: KeeperStatus['state'] = 'starting'
  #since = new Date()
  /** When a client connected last, in ms. */
  #usedAt: number | null = null
  /** Resolves when something of all this changes. */
  #change = Promise.withResolvers<void>()

  constructor(options: KeeperOptions) {
    this.#options = options
    this.#held = new HeldConnections({
      hand: ({ id, port, socket, since: at }) => this.#app?.send({ kind: 'connection', id, port, at }, socket),
      passBy: ({ port, socket }) => this.#passBy.take(port, socket),
    })
  }

  /** Starts an app now, unless one runs. */
  start(): void {
    this.#goal = 'run'
    this.#cancelStart()
    if (this.#app !== null) return
    this.#enter('starting')
    this.#app = this.#launch(this.#hasServed ? 'again' : 'first')
  }

  /** Ends the app once its requests have ended, and then this keeper. */
  end(): void {
    this.#endApp('ended')
    if (this.#app === null) void this.#finish({ code: 0, signal: null })
  }

  status(): KeeperStatus {
    return {
      pid: process.pid,
      appPid: this.#app?.pid ?? null,
      leavingPids: [...this.#leaving].flatMap(({ pid }) => pid ?? []),
      state: this.#goal !== 'run' && this.#app !== null ? 'ending' : this.#state,
      waits: [this.#app, ...this.#leaving].reduce((sum, app) => sum + (app?.waits ?? 0), 0),
      since: this.#since.toISOString(),
      usedAt: this.#usedAt === null ? null : new Date(this.#usedAt).toISOString(),
      leavesAfterMinutes: minutesIn(this.#options.command),
      quickEnds: this.#trouble.quickEnds,
      hasLog: printsToLog(this.#dataDir()),
      trouble: this.#goal === 'run' ? this.#trouble.lasting(this.#state === 'running') : null,
      ports: this.#ports.numbers(),
      passed: this.#passBy.passed(),
      dataDir: this.#dataDir(),
    }
  }

  #launch(as: StartedAs): AppProcess {
    const app: AppProcess = new AppProcess({
      command: this.#options.command,
      as,
      onMessage: (message) => this.#receive(app, message),
      onEnd: (end) => this.#ended(app, end),
    })
    return app
  }

  /** Does what a command asks for, and returns the state after it. */
  async #answer(request: KeeperRequest): Promise<KeeperStatus> {
    const isStop = request === 'stop' || request === 'stop_now'
    if (request === 'tell') return { ...this.status(), isTold: await this.#trouble.tell() }
    if (request !== 'status') this.#watchUse(isStop || request === 'off')
    if (isStop) {
      const app = this.#app
      this.#endApp('stopped', request === 'stop_now' ? 0 : null)
      if (app === null) this.#enter('stopped')
      else await this.#until(() => this.#app !== app)
    } else if (request === 'restart' && this.#state === 'running') {
      this.#goal = 'run'
      await this.#replace()
    } else if (request === 'start' || request === 'restart') {
      const isUnderWay = this.#app !== null
      await this.#started()
      // It may have begun before what ended it was mended.
      if (isUnderWay && this.#app === null) await this.#started()
    }
    return this.status()
  }

  /** Asks the app to end, within a time if one is given, and starts no other. New connections pass by. */
  #endApp(goal: 'stopped' | 'ended', withinMs: number | null = null): void {
    this.#goal = goal
    this.#cancelStart()
    this.#next?.kill()
    this.#held.stop(false)
    this.#app?.send({ kind: 'end', withinMs, isReplaced: false })
  }

  /** Starts an app beside the one that serves, until it has its place or has ended. */
  async #replace(): Promise<void> {
    const next = (this.#next ??= this.#launch('beside'))
    const timer = setTimeout(() => next.kill(), BESIDE_MS)
    await this.#until(() => this.#next !== next)
    clearTimeout(timer)
    if (this.#app !== next) this.#app?.send({ kind: 'not_replaced' })
  }

  /** Starts an app, unless one runs, until it serves or has ended. */
  #started(): Promise<void> {
    this.start()
    return this.#until(() => this.#state === 'running' || this.#app === null)
  }

  /** Only for clients that run now: ends all of it once no connection has come for a day. */
  #watchUse(isUnwanted: boolean): void {
    clearTimeout(this.#unused ?? undefined)
    this.#unused = isUnwanted ? setTimeout(() => this.end(), DAY_MS).unref() : null
  }

  #enter(state: KeeperStatus['state']): void {
    if (state !== this.#state) this.#since = new Date()
    this.#state = state
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await this.#change.promise
  }

  #receive(app: AppProcess, message: ForKeeper): void {
    switch (message.kind) {
      case 'bind':
        return void this.#bind(app, message)
      case 'rules':
        this.#follow(message.rules)
        return this.#remember()
      case 'ready':
        this.#trouble.serves(message.canStore)
        return this.#begin(app)
      case 'took':
        return this.#held.took(message.id)
      case 'left':
        this.#report(app)
        return this.#held.left(message.id)
      case 'run':
        return this.#passBy.admit(message.key, message.run)
      case 'run_ended':
        return this.#passBy.dismiss(message.key)
      case 'leaving':
        if (app !== this.#app) return
        this.#isLeft = message.forGood
        return this.#held.stop(this.#goal === 'run')
      case 'replace':
        if (app === this.#app && this.#goal === 'run') void this.#replace()
    }
  }

  #follow(rules: PassingRules): void {
    if (this.#rules === null || (this.#state === 'running' && !hasControl(rules.dataDir)))
      void serveControl(rules.dataDir, (request) => this.#answer(request))
    this.#rules = rules
    this.#passBy.follow(rules)
  }

  /** Keeps what a keeper needs that is started while no app can start. */
  #remember(): void {
    if (this.#options.dataDir === null || this.#rules === null || !this.#hasServed) return
    writeLastServed({ rules: this.#rules, ports: this.#ports.numbers() })
  }

  /** Before an app has served: passes by as after the last one, unless another Aspy serves the folder or has its ports. */
  async #passAsLast(): Promise<void> {
    const { dataDir } = this.#options
    const last = dataDir === null || this.#rules !== null ? null : readLastServed(dataDir)
    if (last === null || (await findRunningApp(last.rules.dataDir).catch(() => null)) !== null) return
    for (const port of ['proxy', 'tunnel', 'app'] as const) {
      const number = last.ports[port]
      const bound = number === undefined ? null : await this.#ports.bind(port, number)
      if (port === 'proxy' && bound?.kind === 'refused') return
    }
    if (this.#rules === null) this.#follow(last.rules)
  }

  /** From now on this app serves new connections. One that served before finishes its streams. */
  #begin(app: AppProcess): void {
    const before = this.#app === app ? null : this.#app
    app.hasServed = true
    this.#app = app
    this.#next = null
    this.#hasServed = true
    this.#isLeft = false
    this.#passBy.begin()
    this.#report(app)
    this.#held.begin()
    if (before !== null) {
      this.#leaving.add(before)
      before.send({ kind: 'end', withinMs: null, isReplaced: true })
    }
    this.#enter('running')
    this.#remember()
  }

  #report(app: AppProcess): void {
    const passed = this.#passBy.passed()
    app.send({ kind: 'unrecorded', passed, told: this.#told })
    this.#told = passed
  }

  /** Binds a port for an app, unless it is bound already: without a wish, a new app gets the port of the one before. */
  async #bind(app: AppProcess, { port, number, advice }: Extract<ForKeeper, { kind: 'bind' }>): Promise<void> {
    if (port === 'tunnel') for (const [key, run] of this.#passBy.runs()) app.send({ kind: 'run', key, run })
    app.send(await this.#ports.bind(port, number, advice))
  }

  #ended(app: AppProcess, end: AppEnd): void {
    this.#leaving.delete(app)
    if (app === this.#next) this.#next = null
    if (app !== this.#app) return this.#enter(this.#state)
    this.#app = null
    const isVain = !this.#hasServed && !this.#options.isPatient
    const isOver = this.#goal === 'ended' || isVain || (this.#isLeft && this.#held.size === 0)
    const isAgain = this.#goal === 'run' && !isOver
    const inMs = isAgain ? this.#trouble.ended(app, end, this.#rules !== null) : 0
    this.#held.ended(this.#goal === 'run' && isInTime(inMs))
    if (isOver) return void this.#finish(end)
    this.#enter(isAgain ? 'starting' : 'stopped')
    if (isAgain) this.#startAgain(inMs)
  }

  /** Starts the app again: at once, or later and later if it ends soon after each start. */
  #startAgain(inMs: number): void {
    if (!this.#hasServed) void this.#passAsLast()
    if (inMs === 0) return this.start()
    this.#timer ??= setTimeout(() => this.start(), inMs)
  }

  #cancelStart(): void {
    clearTimeout(this.#timer ?? undefined)
    this.#timer = null
  }

  /** Closes the ports, and ends once nothing is in progress any more. */
  async #finish(end: AppEnd): Promise<void> {
    this.#ports.close()
    await Promise.all([this.#until(() => this.#leaving.size === 0), this.#passBy.idle()])
    this.#options.onEnd(end)
  }
}
