import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import { endThread } from '../../base/end-thread.ts'
import { threadEntry } from '../../base/thread-entry.ts'
import { threadMemory } from '../../base/thread-memory.ts'
import {
  CUSTOM_SIGNS,
  type CustomAnswer,
  type CustomModule,
  type CustomStart,
  type FromCustom,
  type ToCustom,
} from './custom-protocol.ts'

/** Limit for starting the thread and loading its modules. A timeout counts against the module that was loading. */
const START_MS = 8000
/** Grace period for a loaded thread to exit before it is terminated. */
const ENDING_MS = 1000
const MAX_HEAP_MB = 256
/** Maximum wait between two calls of `onWait`. */
const WAIT_MS = 500
/** Limit of buffered log lines. */
const MAX_LOGS = 1000

type Distributed<T, K extends string> = T extends unknown ? Omit<T, K> : never
type Question = Distributed<ToCustom, 'id'>
export type CustomLog = Extract<FromCustom, { readonly type: 'log' }>

/** The thread timed out or died. The next question starts a new one. */
export class NoAnswer extends Error {
  /** The pattern or module that was running, counted from 0; null if none. */
  readonly at: number | null

  constructor(message: string, at: number | null) {
    super(message)
    this.at = at
  }
}

interface Running {
  readonly worker: Worker
  readonly port: MessagePort
  readonly signs: Int32Array
  isReady: boolean
}

export interface CustomWorkerOptions extends Pick<CustomStart, 'patterns' | 'modules'> {
  /** Called at least every half second while blocked, as a sign of life. */
  readonly onWait?: (() => void) | undefined
  /** Overrides `START_MS`. */
  readonly startMs?: number
}

/**
 * The thread that runs the user's patterns and processors. The caller blocks on each answer, so that events stay in order and in
 * their transaction. A thread that does not answer in time is terminated.
 */
export class CustomWorker {
  readonly #options: CustomWorkerOptions
  readonly #startMs: number
  /** Why each module could not be loaded. */
  readonly #faults: (string | null)[]
  #names: readonly (string | null)[] = []
  #logs: CustomLog[] = []
  #running: Running | null = null
  #lastId = 0

  constructor(options: CustomWorkerOptions) {
    this.#options = options
    this.#startMs = options.startMs ?? START_MS
    this.#faults = options.modules.map(() => null)
  }

  /** Starts the thread before the first question. */
  start(): void {
    this.#running ??= this.#spawn()
  }

  /** Blocks until a thread is ready. Throws `NoAnswer` if none starts. */
  ready(): void {
    this.#waitUntilReady()
  }

  /** Blocks until the answer arrives. Throws `NoAnswer`. */
  ask(question: Question, timeoutMs: number): CustomAnswer {
    const current = this.#waitUntilReady()
    this.#lastId += 1
    const id = this.#lastId
    current.port.postMessage({ ...question, id } satisfies ToCustom)
    const answer = this.#receive(current, timeoutMs, (message) =>
      message.type !== 'log' && message.type !== 'ready' && message.id === id ? message : null,
    )
    if (answer !== null) return answer
    const at = workedOn(current)
    const hasDied = Atomics.load(current.signs, CUSTOM_SIGNS.dead) === 1
    this.#terminate(current)
    throw new NoAnswer(hasDied ? 'its thread exited' : `no answer in ${Math.ceil(timeoutMs)} ms`, at)
  }

  /** Returns why a module could not be loaded, or null. */
  faultOf(module: number): string | null {
    return this.#faults[module] ?? null
  }

  /** Returns a module's own name, once it is loaded. */
  nameOf(module: number): string | null {
    return this.#names[module] ?? null
  }

  /** Returns and clears the processors' log lines. */
  takeLogs(): readonly CustomLog[] {
    const taken = this.#logs
    this.#logs = []
    return taken
  }

  async stop(): Promise<void> {
    if (this.#running === null) return
    const { worker, port, isReady } = this.#running
    this.#running = null
    // Without its port, the thread has nothing left to wait for.
    port.close()
    await endThread(worker, isReady ? ENDING_MS : this.#startMs)
  }

  #spawn(): Running {
    const { patterns, modules } = this.#options
    const { port1, port2 } = new MessageChannel()
    const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * Object.keys(CUSTOM_SIGNS).length)
    // A module that failed to load is not tried again in the next thread.
    const loaded = modules.map((module, at): CustomModule => (this.#faults[at] ? { ...module, url: null } : module))
    const worker = new Worker(threadEntry('custom-thread'), {
      name: 'custom',
      workerData: { patterns, modules: loaded, signs: shared, port: port2 } satisfies CustomStart,
      transferList: [port2],
      execArgv: [],
      // Keeps a module's output out of the output of commands.
      stdout: true,
      stderr: true,
      resourceLimits: threadMemory(MAX_HEAP_MB),
    })
    worker.stdout.resume()
    worker.stderr.resume()
    // An unhandled error would end this thread too. `signs` shows when the thread is dead.
    worker.on('error', () => undefined)
    worker.unref()
    port1.unref()
    return { worker, port: port1, signs: new Int32Array(shared), isReady: false }
  }

  #terminate({ worker, port }: Running): void {
    this.#running = null
    port.close()
    void worker.terminate()
  }

  /** Blocks until `accept` returns a value for a message; null if none arrives in time or the thread is dead. */
  #receive<T>(from: Running, timeoutMs: number, accept: (message: FromCustom) => T | null): T | null {
    const { port, signs } = from
    const start = performance.now()
    let deadline = start + timeoutMs
    for (;;) {
      const answers = Atomics.load(signs, CUSTOM_SIGNS.answers)
      const isDead = Atomics.load(signs, CUSTOM_SIGNS.dead) === 1
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
        const message = next.message as FromCustom
        const accepted = accept(message)
        if (accepted !== null) return accepted
        if (message.type === 'log' && this.#logs.length < MAX_LOGS) this.#logs.push(message)
      }
      let left = deadline - performance.now()
      // On a busy machine the thread may not have begun yet: its time starts when it does.
      if (left <= 0 && workedOn(from) === null && performance.now() - start < this.#startMs) {
        deadline += timeoutMs
        left = deadline - performance.now()
      }
      if (isDead || left <= 0) return null
      this.#options.onWait?.()
      Atomics.wait(signs, CUSTOM_SIGNS.answers, answers, Math.min(left, WAIT_MS))
    }
  }

  #waitUntilReady(): Running {
    for (;;) {
      const current = (this.#running ??= this.#spawn())
      if (current.isReady) return current
      const loaded = this.#receive(current, this.#startMs, (message) => (message.type === 'ready' ? message : null))
      if (loaded !== null) {
        for (const [module, fault] of loaded.faults.entries()) this.#faults[module] ??= fault
        this.#names = loaded.names
        current.isReady = true
        return current
      }
      const at = workedOn(current)
      this.#terminate(current)
      if (at === null || this.#faults[at] !== null) throw new NoAnswer('the thread for user code does not start', at)
      this.#faults[at] = `it was not loaded in ${this.#startMs} ms`
    }
  }
}

function workedOn({ signs }: Running): number | null {
  const at = Atomics.load(signs, CUSTOM_SIGNS.at)
  return at === 0 ? null : at - 1
}
