import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import { SYSTEM_CLOCK, type Clock } from '../base/clock.ts'
import type { AnyDraft } from '../decode/draft.ts'
import type { Tap } from '../proxy/tap.ts'
import type { RecorderHost } from '../recorder/host/recorder-host.ts'
import { createBatchSender } from '../transcripts/batch-sender.ts'
import type { Demo, DemoExchange, DemoGuard, DemoStep } from './demo-file.ts'
import { answerHeaders, DemoBodies, serverSent, streamedPieces } from './demo-traffic.ts'

/** Receives the demo's traffic, along the same path as real traffic behind the proxy. */
export interface DemoRecorder {
  readonly tap: Pick<Tap, 'open' | 'stats'>
  readonly recorder: Pick<RecorderHost, 'hook' | 'health'> & { importerPort(): MessagePort }
}

/** Part of every id in the live part. Each round has another one, so that its sessions are new. */
export const ROUND_MARK = 'd3a0d3a0'
/** Sessions that are written at the same time. In each, a hook waits until the earlier items are stored. */
const AT_ONCE = 16
const LOOK_MS = 5
/** Between the end of a round and the next. */
const BREAK_MS = 10 * 60_000

/** The guard decides so long after a request came. */
const HELD_AFTER_MS = 20

/** Plays recorded traffic into the recorder: either at once with its original times, or as if it happened now. */
export class DemoPlayer {
  readonly #demo: Demo
  readonly #to: DemoRecorder
  readonly #signal: AbortSignal

  constructor(demo: Demo, to: DemoRecorder, signal: AbortSignal) {
    this.#demo = demo
    this.#to = to
    this.#signal = signal
  }

  /** Writes the history, which ends at `until`. Resolves when all of it is stored. */
  async write(until: number): Promise<void> {
    const { tap, recorder } = this.#to
    await this.#wait(() => recorder.health().state === 'running')
    const bodies = new DemoBodies(this.#demo.fields)
    const sessions = [...Map.groupBy(this.#demo.history, ({ session }) => session).values()]
    // Runs after all others, so that the newest events of the log are its events.
    const last = sessions.pop() ?? []
    const write = async () => {
      for (let steps = sessions.shift(); steps !== undefined; steps = sessions.shift())
        await this.#writeSession(steps, bodies, until)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, write))
    await this.#writeSession(last, bodies, until)
    await this.#wait(() => tap.stats().queue_bytes === 0 && recorder.health().hooks_waiting === 0)
  }

  async #writeSession(steps: readonly DemoStep[], bodies: DemoBodies, until: number): Promise<void> {
    const { tap, recorder } = this.#to
    let sent = 0
    let judged: DemoGuard[] = []
    // A prompt is stored with its request, and what the guard did with it after it.
    const judge = async () => {
      const actions = judged
      judged = []
      if (actions.length > 0)
        await this.#wait(() => tap.stats().acknowledged >= sent && recorder.health().hooks_waiting === 0)
      for (const action of actions)
        await this.#guard(
          action,
          clockAt(() => until + action.at),
        )
    }
    for (const step of steps) {
      const wall = until + step.at
      if (step.kind === 'guard') judged.push(step)
      else if (step.kind === 'exchange') {
        // A held request came before it was held.
        const [held] = judged
        this.#send(step, bodies, wall, held === undefined ? 0 : held.at - step.at - HELD_AFTER_MS)
        sent = tap.stats().seen
        await judge()
      } else {
        await this.#wait(() => tap.stats().acknowledged >= sent)
        await this.#other(
          step,
          clockAt(() => wall),
        )
      }
    }
    await judge()
  }

  /** Plays the live part round after round until the signal aborts. */
  async live(): Promise<void> {
    for (;;) {
      const mark = randomBytes(4).toString('hex')
      const steps = JSON.parse(JSON.stringify(this.#demo.live).replaceAll(ROUND_MARK, mark)) as readonly DemoStep[]
      const bodies = new DemoBodies(
        new Map(JSON.parse(JSON.stringify([...this.#demo.fields]).replaceAll(ROUND_MARK, mark))),
      )
      const begun = performance.now()
      const playing: Promise<void>[] = []
      for (const step of steps) {
        await this.#sleep(begun + step.at - performance.now())
        const played = step.kind === 'exchange' ? this.#play(step, bodies) : this.#other(step, SYSTEM_CLOCK)
        // A failure is reported at the end of the round.
        played.catch(() => undefined)
        playing.push(played)
      }
      await Promise.all(playing)
      await this.#sleep(begun + this.#demo.liveMs - performance.now() + BREAK_MS)
    }
  }

  #open(step: DemoExchange, bodies: DemoBodies, clock: Clock) {
    const headers = step.headers.flat()
    const exchange = this.#to.tap.open({ method: 'POST', path: step.path, headers, clock })
    exchange.requestBytes(bodies.next(step))
    exchange.requestEnd()
    return exchange
  }

  #send(step: DemoExchange, bodies: DemoBodies, wall: number, beganMs: number): void {
    let passed = beganMs
    const exchange = this.#open(
      step,
      bodies,
      clockAt(() => wall + passed),
    )
    const events = step.events ?? []
    passed = events[0]?.[0] ?? step.tookMs
    exchange.responseHead(step.status, answerHeaders(step, wall))
    for (const [afterMs, data] of events) {
      passed = afterMs
      exchange.responseBytes(serverSent(data))
    }
    if (step.body !== undefined) exchange.responseBytes(Buffer.from(JSON.stringify(step.body)))
    passed = step.tookMs
    exchange.end('complete')
  }

  async #play(step: DemoExchange, bodies: DemoBodies): Promise<void> {
    const begun = performance.now()
    const exchange = this.#open(step, bodies, SYSTEM_CLOCK)
    const events = step.events ?? []
    await this.#sleep(events[0]?.[0] ?? step.tookMs)
    exchange.responseHead(step.status, answerHeaders(step, Date.now()))
    for (const [at, [afterMs, data]] of events.entries()) {
      const pieces = streamedPieces(data)
      const restMs = (events[at + 1]?.[0] ?? step.tookMs) - afterMs
      for (const [number, piece] of pieces.entries()) {
        await this.#sleep(begun + afterMs + (restMs * number) / pieces.length - performance.now())
        exchange.responseBytes(serverSent(piece))
      }
    }
    if (step.body !== undefined) exchange.responseBytes(Buffer.from(JSON.stringify(step.body)))
    exchange.end('complete')
  }

  async #other(step: Exclude<DemoStep, DemoExchange>, clock: Clock): Promise<void> {
    if (step.kind === 'hook') this.#to.recorder.hook(Buffer.from(JSON.stringify(step.body)), clock)
    else await this.#guard(step, clock)
  }

  /** The guard's actions are posted events, which are always dated now; imported ones keep their own time. */
  async #guard({ session, action }: DemoGuard, clock: Clock): Promise<void> {
    const sender = createBatchSender(() => undefined)
    const port = this.#to.recorder.importerPort()
    sender.connect(port)
    const draft = {
      kind: 'guard_action',
      source: 'api',
      payload: action,
      session_id: session,
      agent_id: action.agent_id,
      ts_wall: new Date(clock.wall()).toISOString(),
      ts_monotonic: null,
      keys: [`demo-guard:${action.id}:${action.action}`],
      parents: [],
    } as const satisfies AnyDraft
    await (
      await sender.send({ drafts: [draft] })
    ).answered
    port.close()
  }

  async #wait(isDone: () => boolean): Promise<void> {
    while (!isDone()) await this.#sleep(LOOK_MS)
    this.#signal.throwIfAborted()
  }

  async #sleep(ms: number): Promise<void> {
    await sleep(Math.max(0, ms), undefined, { signal: this.#signal })
  }
}

const clockAt = (wall: () => number): Clock => ({ wall, run: () => wall() - performance.timeOrigin })
