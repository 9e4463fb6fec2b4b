import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { RecorderHost } from '../../recorder/host/recorder-host.ts'
import { endThread, LOADING_MS } from '../../base/end-thread.ts'
import { threadEntry } from '../../base/thread-entry.ts'
import { roomyHeaps, threadMemory } from '../../base/thread-memory.ts'
import type {
  FoundImage,
  FromImporterThread,
  ImporterStart,
  ImportProgress,
  ToImporterThread,
  TranscriptsFound,
  WantedImage,
} from '../protocol.ts'
import { ImporterJobs, type ImporterJob } from './importer-jobs.ts'

const MAX_HEAP_MB = 300
/** Time that the recorder has to answer before settings change. It may be updating the database. */
const ANSWERED_MS = 10_000
/** Delay before a new port is requested again, since the recorder may be about to restart. */
const RECONNECT_MS = 200

export interface ImporterOptions extends ImporterStart {
  readonly recorder: Pick<RecorderHost, 'importerPort'>
  readonly logger: Pick<Logger, 'warn' | 'error'>
}

/** The importer as the main thread sees it. Its thread runs as long as there is something to import or follow. */
export class Importer {
  readonly #options: ImporterOptions
  #config: ImporterStart['config']
  readonly #jobs = new ImporterJobs()
  #worker: Worker | null = null
  #isFollowing = false
  /** The thread has not answered yet whether there is something to follow. */
  #isAwaitingFollow = false
  #reconnect: NodeJS.Timeout | null = null

  constructor(options: ImporterOptions) {
    this.#options = options
    this.#config = options.config
  }

  /** Counts and measures the existing transcripts without reading them. */
  async find(): Promise<TranscriptsFound> {
    const job = this.#begin((number) => ({ type: 'find', job: number }))
    try {
      return await job.found()
    } finally {
      await this.#end(job)
    }
  }

  /** Looks up an image in the transcripts of its session. The image is not kept. */
  async image(wanted: WantedImage): Promise<FoundImage> {
    const job = this.#begin((number) => ({ type: 'image', job: number, wanted }))
    try {
      return await job.image()
    } finally {
      await this.#end(job)
    }
  }

  /**
   * Continues reading new lines in folders that were imported whole, if there are any and the settings allow it. Call
   * it when the recorder is ready; an import starts it automatically.
   */
  follow(): void {
    if (!this.#config.transcripts.follow || !this.#config.lifestats.enabled) return
    this.#isAwaitingFollow = true
    this.#thread().postMessage({ type: 'follow' } satisfies ToImporterThread)
  }

  /**
   * Imports named files and folders, or every transcript found. Yields the state several times a second, the last one
   * with `done`. Ends early if the caller stops reading or `signal` aborts: everything read is kept, and nothing is
   * imported twice.
   */
  async *import(paths: readonly string[] | null, signal?: AbortSignal): AsyncGenerator<ImportProgress> {
    if (signal?.aborted) throw stopped()
    using _ = roomyHeaps()
    const job = this.#begin((number) => ({ type: 'import', job: number, paths }))
    const abort = () => job.fail(stopped())
    signal?.addEventListener('abort', abort)
    try {
      yield* job.progress()
    } finally {
      signal?.removeEventListener('abort', abort)
      await this.#end(job)
    }
  }

  /**
   * Continues with other settings, also in a running import: the new rules redact everything read from now on.
   * `meanwhile` restarts the recorder while nothing is sent to it, because it would refuse batches that it can no
   * longer write.
   */
  async reconfigure(config: ImporterStart['config'], meanwhile: () => Promise<void>): Promise<void> {
    this.#config = config
    const jobs = this.#jobs.all()
    const continues = this.#isFollowing || this.#isAwaitingFollow
    await this.#stopThread('end_answered', ANSWERED_MS)
    try {
      await meanwhile()
    } finally {
      for (const job of jobs.filter((each) => this.#jobs.has(each))) {
        job.restarted()
        this.#thread().postMessage(job.request)
      }
      if (continues) this.follow()
    }
  }

  async stop(): Promise<void> {
    this.#jobs.failAll('cancelled', 'Aspy is being stopped')
    await this.#stopThread()
  }

  #thread(): Worker {
    if (this.#worker !== null) return this.#worker
    const { dataDir, homes, logger } = this.#options
    const worker = new Worker(threadEntry('importer-thread'), {
      name: 'importer',
      workerData: { dataDir, config: this.#config, homes } satisfies ImporterStart,
      execArgv: [],
      resourceLimits: threadMemory(MAX_HEAP_MB),
    })
    this.#worker = worker
    worker.on('message', (message: FromImporterThread) => this.#receive(message))
    worker.on('error', (error) =>
      logger.error({ error: error instanceof Error ? error.name : typeof error }, 'the importer failed'),
    )
    worker.on('exit', () => {
      if (this.#worker !== worker) return
      this.#forgetThread()
      this.#jobs.failAll('internal', 'the importer ended: import again')
    })
    this.#connect()
    return worker
  }

  #connect(): void {
    this.#reconnect = null
    if (this.#worker === null) return
    try {
      const port = this.#options.recorder.importerPort()
      this.#worker.postMessage({ type: 'recorder', port } satisfies ToImporterThread, [port])
    } catch {
      // The recorder is starting. Nothing is lost meanwhile: the importer keeps unacknowledged data.
      this.#reconnect ??= setTimeout(() => this.#connect(), RECONNECT_MS)
    }
  }

  #receive(message: FromImporterThread): void {
    switch (message.type) {
      case 'line_lost':
        return this.#connect()
      case 'trouble':
        return this.#options.logger.warn({ why: message.message }, 'transcripts are read again later')
      case 'following':
        this.#isFollowing = message.isFollowing
        this.#isAwaitingFollow = false
        return void this.#stopWhenIdle()
      default:
        return this.#jobs.receive(message)
    }
  }

  #begin(request: (job: number) => ToImporterThread): ImporterJob {
    const job = this.#jobs.begin(request)
    this.#thread().postMessage(job.request)
    return job
  }

  async #end(job: ImporterJob): Promise<void> {
    this.#jobs.end(job)
    this.#worker?.postMessage({ type: 'cancel', job: job.number } satisfies ToImporterThread)
    await this.#stopWhenIdle()
  }

  async #stopWhenIdle(): Promise<void> {
    if (!this.#jobs.isEmpty || this.#isAwaitingFollow || this.#isFollowing) return
    await this.#stopThread()
  }

  async #stopThread(type: 'end' | 'end_answered' = 'end', deadlineMs = LOADING_MS): Promise<void> {
    if (this.#reconnect !== null) clearTimeout(this.#reconnect)
    this.#reconnect = null
    const running = this.#worker
    this.#forgetThread()
    if (running === null) return
    running.postMessage({ type } satisfies ToImporterThread)
    await endThread(running, deadlineMs)
  }

  #forgetThread(): void {
    this.#worker = null
    this.#isFollowing = false
    this.#isAwaitingFollow = false
  }
}

const stopped = () => new AspyError('cancelled', 'the import was stopped; what was read is kept')
