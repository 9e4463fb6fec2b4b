import { Worker } from 'node:worker_threads'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { endThread } from '../../base/end-thread.ts'
import { threadEntry } from '../../base/thread-entry.ts'
import { threadMemory } from '../../base/thread-memory.ts'
import { parseJsonObject } from '../../dispatch/json-object.ts'
import type { Look, Looked, Seen, ToWatch } from '../watch-protocol.ts'

/** A client waits so long for a look, and no longer. */
const WAIT_MS = 100
const MAX_HEAP_MB = 256

export interface FileWatchOptions {
  readonly dataDir: string
  readonly isOn: () => boolean
  /** Takes a hook of our own that tells what was seen. */
  readonly record: (hook: Uint8Array) => void
  readonly logger: Pick<Logger, 'warn'>
}

/** Looks at the work tree around the commands that a client tells of by hooks, in a thread that runs only while it is asked to. */
export class FileWatch {
  readonly #options: FileWatchOptions
  readonly #waiting = new Map<number, (seen: Seen | null) => void>()
  #worker: Worker | null = null
  #count = 0

  constructor(options: FileWatchOptions) {
    this.#options = options
  }

  /** Resolves when the client may go on: at once, unless the hook is one around a command. */
  async hook(body: Uint8Array): Promise<void> {
    if (!this.#options.isOn()) return
    // By the first command, it has started.
    this.#worker ??= this.#spawn()
    const {
      hook_event_name: event,
      tool_name: tool,
      tool_use_id: call,
      cwd: folder,
      session_id,
      agent_id,
    } = parseJsonObject(new TextDecoder().decode(body)).value ?? {}
    const isAfter = event === 'PostToolUse' || event === 'PostToolUseFailure'
    if (isAfter && tool !== 'Bash') return void (EDITS.test(String(tool)) && this.#worker?.postMessage(EDITED))
    if ((!isAfter && event !== 'PreToolUse') || tool !== 'Bash') return
    if (typeof call !== 'string' || typeof folder !== 'string') return
    const seen = await this.#look(isAfter ? 'after' : 'before', call, folder)
    if (seen === null) return
    const told = { hook_event_name: 'FilesSeen', session_id, agent_id, cwd: folder, tool_use_id: call, ...seen }
    this.#options.record(Buffer.from(JSON.stringify(told)))
  }

  async close(): Promise<void> {
    const worker = this.#worker
    if (worker === null) return
    worker.postMessage({ type: 'stop' } satisfies ToWatch)
    await endThread(worker, 2000)
  }

  #look(at: Look['at'], call: string, folder: string): Promise<Seen | null> {
    const id = (this.#count += 1)
    const { promise, resolve } = Promise.withResolvers<Seen | null>()
    const timer = setTimeout(() => this.#answer({ id, seen: null }), WAIT_MS)
    this.#waiting.set(id, (seen) => {
      clearTimeout(timer)
      resolve(seen)
    })
    const until = Date.now() + WAIT_MS
    this.#worker?.postMessage({ type: 'look', id, at, call, folder, until } satisfies ToWatch)
    return promise
  }

  #answer({ id, seen }: Looked): void {
    this.#waiting.get(id)?.(seen)
    this.#waiting.delete(id)
  }

  #spawn(): Worker {
    const worker = new Worker(threadEntry('watch-thread'), {
      name: 'watch',
      workerData: join(this.#options.dataDir, 'watch.git'),
      execArgv: [],
      resourceLimits: threadMemory(MAX_HEAP_MB),
    })
    worker.on('message', (looked: Looked) => this.#answer(looked))
    // Only the name: the message may quote a path.
    worker.on('error', (error) => this.#options.logger.warn({ error: error.name }, 'the watch of files failed'))
    worker.on('exit', () => {
      this.#worker = null
      for (const id of this.#waiting.keys()) this.#answer({ id, seen: null })
    })
    worker.unref()
    return worker
  }
}

const EDITED: ToWatch = { type: 'edited' }
const EDITS = /edit|write|patch/i
