import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { endThread } from '../../base/end-thread.ts'
import { threadEntry } from '../../base/thread-entry.ts'
import { CUSTOM_SIGNS } from './custom-protocol.ts'
import type { CustomAnswer, CustomModule, CustomStart, FromCustom, ToCustom } from './custom-protocol.ts'

/** How long the thread may take to start and to load its modules; counted for none of them but the one it hangs in. */
const START_MS = 8000
/** For a thread that is not wanted any more, once it has loaded; one whose modules keep it busy is ended then. */
const ENDING_MS = 1000
const MAX_HEAP_MB = 256
const SIGN_MS = 500
/** Log lines that wait to be written. */
const MAX_LOGS = 1000

type Distributed<T, K extends string> = T extends unknown ? Omit<T, K> : never
type Question = Distributed<ToCustom, 'id'>
export type CustomLog = Extract<FromCustom, { readonly type: 'log' }>

/** The thread gave no answer in time, or died over the question; a new one is started for the next. */
export class NoAnswer extends Error {
  /** Which pattern or module it worked on, counted from 0; null: none. */
  readonly at: number | null

  constructor(message: string, at: number | null) {
    super(message)
    this.at = at
  }
}

/**
 * The thread in which the user's own patterns and processors run. Its caller waits for each answer, so that events stay
 * in order and in their transaction; a thread that gives none in time is ended, whatever it does.
 */
export interface CustomWorker {
  /** Starts the thread ahead of the first question. */
  start(): void
  /** Waits until there is a thread that can be asked. Throws `NoAnswer` where none starts. */
  ready(): void
  /** Throws `NoAnswer`. */
  ask(question: Question, timeoutMs: number): CustomAnswer
  /** Why a module could not be loaded; null: it is loaded, or not asked for yet. */
  faultOf(module: number): string | null
  /** How a module calls itself, once it is loaded. */
  nameOf(module: number): string | null
  /** What processors logged since they were last asked for it. */
  takeLogs(): readonly CustomLog[]
  stop(): Promise<void>
}

interface Running {
  readonly worker: Worker
  readonly port: MessagePort
  readonly signs: Int32Array
  isReady: boolean
}

export interface CustomWorkerOptions extends Pick<CustomStart, 'patterns' | 'modules'> {
  /** Called at least every half second while the caller waits: it is alive, though it does nothing else. */
  readonly onWait?: (() => void) | undefined
  /** Milliseconds; see START_MS. */
  readonly startMs?: number
}

export function createCustomWorker(options: CustomWorkerOptions): CustomWorker {
  const { patterns, modules, onWait, startMs = START_MS } = options
  const faults: (string | null)[] = modules.map(() => null)
  let names: readonly (string | null)[] = []
  let logs: CustomLog[] = []
  let running: Running | null = null
  let lastId = 0

  function spawn(): Running {
    const { port1, port2 } = new MessageChannel()
    const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * Object.keys(CUSTOM_SIGNS).length)
    // A module that could not be loaded is not tried again in each new thread.
    const loaded = modules.map((module, at): CustomModule => (faults[at] ? { ...module, url: null } : module))
    const worker = new Worker(threadEntry('custom-thread'), {
      name: 'custom',
      workerData: { patterns, modules: loaded, signs: shared, port: port2 } satisfies CustomStart,
      transferList: [port2],
      execArgv: [],
      // What a module prints must not end up among the lines that commands print.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
    worker.stdout.resume()
    worker.stderr.resume()
    // Its end is seen in the signs; an error without a listener would end this thread too.
    worker.on('error', () => undefined)
    worker.unref()
    port1.unref()
    running = { worker, port: port1, signs: new Int32Array(shared), isReady: false }
    return running
  }

  function end({ worker, port }: Running): Promise<unknown> {
    running = null
    port.close()
    return worker.terminate()
  }

  /** Waits for a message that `wanted` takes; null: none came in time, or none can come any more. */
  function receive<T>(from: Running, timeoutMs: number, wanted: (message: FromCustom) => T | null): T | null {
    const { port, signs } = from
    const start = performance.now()
    let deadline = start + timeoutMs
    for (;;) {
      const said = Atomics.load(signs, CUSTOM_SIGNS.answers)
      const isDead = Atomics.load(signs, CUSTOM_SIGNS.dead) === 1
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
        const message = next.message as FromCustom
        const taken = wanted(message)
        if (taken !== null) return taken
        if (message.type === 'log' && logs.length < MAX_LOGS) logs.push(message)
      }
      let left = deadline - performance.now()
      // On a busy machine the thread may not have begun yet: its time counts from there.
      if (left <= 0 && workedOn(from) === null && performance.now() - start < startMs) {
        deadline += timeoutMs
        left = deadline - performance.now()
      }
      if (isDead || left <= 0) return null
      onWait?.()
      Atomics.wait(signs, CUSTOM_SIGNS.answers, said, Math.min(left, SIGN_MS))
    }
  }

  function ready(): Running {
    for (;;) {
      const current = running ?? spawn()
      if (current.isReady) return current
      const loaded = receive(current, startMs, (message) => (message.type === 'ready' ? message : null))
      if (loaded !== null) {
        for (const [module, fault] of loaded.faults.entries()) faults[module] ??= fault
        names = loaded.names
        current.isReady = true
        return current
      }
      const at = workedOn(current)
      void end(current)
      if (at === null || faults[at] !== null) throw new NoAnswer('the thread for own code does not start', at)
      faults[at] = `it was not loaded in ${startMs} ms`
    }
  }

  return {
    start: () => void (running ?? spawn()),
    ready: () => void ready(),
    ask(question, timeoutMs) {
      const current = ready()
      lastId += 1
      const id = lastId
      current.port.postMessage({ ...question, id } satisfies ToCustom)
      const answer = receive(current, timeoutMs, (message) =>
        message.type !== 'log' && message.type !== 'ready' && message.id === id ? message : null,
      )
      if (answer !== null) return answer
      const at = workedOn(current)
      const hasDied = Atomics.load(current.signs, CUSTOM_SIGNS.dead) === 1
      void end(current)
      throw new NoAnswer(hasDied ? 'its thread ended' : `no answer in ${Math.ceil(timeoutMs)} ms`, at)
    },
    faultOf: (module) => faults[module] ?? null,
    nameOf: (module) => names[module] ?? null,
    takeLogs() {
      const taken = logs
      logs = []
      return taken
    },
    async stop() {
      if (running === null) return
      const { worker, port, isReady } = running
      running = null
      // Without its port it has nothing more to wait for.
      port.close()
      await endThread(worker, isReady ? ENDING_MS : startMs)
    },
  }
}

function workedOn({ signs }: Running): number | null {
  const at = Atomics.load(signs, CUSTOM_SIGNS.at)
  return at === 0 ? null : at - 1
}
