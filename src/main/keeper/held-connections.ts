import type { Socket } from 'node:net'
import { FRESH_MS, HOLD_MS, monotonicMs, type PortName } from './protocol.ts'

/** How often time limits are checked, in ms. */
const CHECK_MS = 50

/** A connection that no app has taken yet. Nothing of it was read. */
export interface HeldConnection {
  readonly id: number
  readonly port: PortName
  readonly socket: Socket
  /** When it came, by `monotonicMs`. */
  readonly since: number
}

interface HeldConnectionsOptions {
  /** Hands a connection to the app. Its copy here is kept until `took` or `left`. */
  hand(connection: HeldConnection): void
  /** Serves a connection that no app took in time. */
  passBy(connection: HeldConnection): void
}

/**
 * Connections on their way to the app: one is handed at a time, the others wait. What an app has not taken when it ends
 * goes to the next one. Whatever becomes of apps, what is not taken within `HOLD_MS` of its coming passes by.
 */
export class HeldConnections {
  readonly #options: HeldConnectionsOptions
  readonly #waiting: HeldConnection[] = []
  #handed: { readonly connection: HeldConnection; readonly app: number } | null = null
  /** Counts the apps. */
  #app = 0
  /** The app has not answered for `FRESH_MS`. */
  #isStalled = false
  /** Since when an app has had connections and answered for none; null: it has none, or has answered. */
  #unansweredSince: number | null = null
  /** Since when no app takes connections; null while one does. */
  #awaySince: number | null = monotonicMs()
  #isWaitedFor = true
  #timer: NodeJS.Timeout | null = null
  #lastId = 0

  constructor(options: HeldConnectionsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#waiting.length + (this.#handed === null ? 0 : 1)
  }

  add(port: PortName, socket: Socket): void {
    // It may be reset while it waits.
    socket.on('error', () => socket.destroy())
    this.#lastId += 1
    this.#waiting.push({ id: this.#lastId, port, socket, since: monotonicMs() })
    this.#go()
  }

  /** An app begins to take connections. */
  begin(): void {
    this.#app += 1
    this.#answered()
    this.#awaySince = null
    this.#go()
  }

  /** The app takes no more. `isWaitedFor`: another one will, so that connections are held for it. */
  stop(isWaitedFor: boolean): void {
    this.#isWaitedFor = isWaitedFor
    this.#awaySince ??= monotonicMs()
    this.#go()
  }

  /** The app has ended: what it was handed and did not take goes to the next one. */
  ended(isWaitedFor: boolean): void {
    this.#takeBack()
    this.stop(isWaitedFor)
  }

  took(id: number): void {
    this.#answered()
    if (this.#handed?.connection.id === id) {
      this.#handed.connection.socket.destroy()
      this.#handed = null
    }
    this.#go()
  }

  /** An app does not serve a connection: another one may, unless that app still takes others. */
  left(id: number): void {
    this.#answered()
    if (this.#handed?.connection.id === id) {
      const { connection, app } = this.#handed
      if (this.#awaySince === null && app === this.#app) {
        this.#handed = null
        this.#options.passBy(connection)
      } else this.#takeBack()
    }
    this.#go()
  }

  #answered(): void {
    this.#isStalled = false
    this.#unansweredSince = null
  }

  #takeBack(): void {
    if (this.#handed !== null) this.#waiting.unshift(this.#handed.connection)
    this.#handed = null
  }

  #go(): void {
    const now = monotonicMs()
    const isAway = this.#awaySince !== null && (!this.#isWaitedFor || now - this.#awaySince >= HOLD_MS)
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      // A client that was reset meanwhile needs nothing.
      if (next.socket.destroyed) {
        this.#waiting.shift()
        continue
      }
      if (this.#isStalled || isAway || now - next.since >= FRESH_MS) this.#options.passBy(next)
      else if (this.#awaySince === null && this.#handed === null) {
        this.#handed = { connection: next, app: this.#app }
        this.#unansweredSince ??= now
        this.#options.hand(next)
      } else break
      this.#waiting.shift()
    }
    if (this.size > 0 && this.#timer === null) this.#timer = setTimeout(() => this.#check(), CHECK_MS)
  }

  /** After what has arrived meanwhile was read: an app may have answered just before a time limit. */
  #check(): void {
    setImmediate(() => {
      this.#timer = null
      const now = monotonicMs()
      if (this.#handed !== null && now - this.#handed.connection.since >= HOLD_MS) {
        const { connection, app } = this.#handed
        // One that was handed late says nothing of the app; several that were, one after the other, do.
        this.#isStalled = app === this.#app && now - (this.#unansweredSince ?? now) >= FRESH_MS
        this.#handed = null
        this.#options.passBy(connection)
      }
      this.#go()
    })
  }
}
