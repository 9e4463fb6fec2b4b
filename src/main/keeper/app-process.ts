import { fork, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { ALIVE_MS, KEPT_VARIABLE, type StartedAs, type ToApp, type ToKeeper } from './protocol.ts'

/** How an app has ended. */
export interface AppEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** What an app tells its keeper of more than itself. */
export type ForKeeper = Exclude<ToKeeper, { readonly kind: 'waits' | 'alive' }>

interface AppProcessOptions {
  /** The script and arguments to start the app with. */
  readonly command: readonly [string, ...string[]]
  readonly as: StartedAs
  onMessage(message: ForKeeper): void
  /** Called once, when the process has ended and all that it sent was read. */
  onEnd(end: AppEnd): void
}

const OF_KEEPER: ReadonlySet<string> = new Set(['--single-threaded-gc', '--no-concurrent-recompilation'])

/** From the end of the channel to the end of the process. */
const ENDING_MS = 500

/** An app that is stopped or hangs for longer is ended. */
const MAX_MISSED = 5

/** An app as a child process. */
export class AppProcess {
  readonly startedAt = performance.now()
  /** How many requests and tunnels an app that leaves waits for, as far as it has said. */
  waits = 0
  /** It has taken connections. */
  hasServed = false
  readonly #child: ChildProcess
  #missed = 0
  #watching: NodeJS.Timeout | undefined

  constructor({ command: [script, ...args], as, onMessage, onEnd }: AppProcessOptions) {
    const child = fork(script, args, {
      env: { ...process.env, [KEPT_VARIABLE]: as },
      // `bin/aspy` gives a keeper fewer threads than an app needs.
      execArgv: process.execArgv.filter((flag) => !OF_KEEPER.has(flag)),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      windowsHide: true,
    })
    this.#child = child
    let end: AppEnd | null = null
    let isOver = false
    const finish = () => {
      if (end === null || isOver) return
      clearInterval(this.#watching)
      isOver = true
      onEnd(end)
    }
    child.on('message', (message) => {
      const told = message as ToKeeper
      if (told.kind === 'waits') this.waits = told.count
      else if (told.kind === 'alive') this.#watch()
      else onMessage(told)
    })
    child.once('exit', (code, signal) => {
      end = { code, signal }
      // What it has sent is read first: a connection that it took must not go to the next app.
      if (!child.connected) finish()
    })
    child.once('disconnect', () => {
      finish()
      // What has left the keeper and lives only carries tunnels to their end.
      setTimeout(() => {
        end ??= { code: 0, signal: null }
        finish()
      }, ENDING_MS)
    })
    child.once('error', () => {
      end ??= { code: 1, signal: null }
      if (child.pid === undefined) finish()
    })
  }

  /**
   * Ends an app that gives no more signs of life: clients wait for it on connections that they keep. It counts ticks, not
   * time: a computer may have slept.
   */
  #watch(): void {
    this.#missed = 0
    this.#watching ??= setInterval(() => {
      this.#missed += 1
      if (this.#missed > MAX_MISSED) this.kill()
    }, ALIVE_MS).unref()
  }

  get pid(): number | null {
    return this.#child.pid ?? null
  }

  send(message: ToApp, socket?: Socket): void {
    // A failure shows as the end of the child, which follows.
    if (this.#child.connected) this.#child.send(message, socket, { keepOpen: true }, () => undefined)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }
}
