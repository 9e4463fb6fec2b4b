import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { AspyError, fromErrorAnswer } from '../../../shared/contract/errors.ts'
import type { RecorderHost } from '../../recorder/host/recorder-host.ts'
import { endThread } from '../../base/end-thread.ts'
import { threadEntry } from '../../base/thread-entry.ts'
import type {
  FromImporterThread,
  ImporterStart,
  ImportProgress,
  ToImporterThread,
  TranscriptsFound,
} from '../protocol.ts'

const MAX_HEAP_MB = 300
/** The recorder may be about to restart: a new line is asked for again after this. */
const RECONNECT_MS = 200

export interface ImporterOptions extends ImporterStart {
  readonly recorder: Pick<RecorderHost, 'importerPort'>
  readonly logger: Pick<Logger, 'warn' | 'error'>
}

/** The importer as the main thread sees it. Its thread runs as long as there is something to import or follow. */
export interface Importer {
  /** Counts and measures the existing transcripts without reading them. */
  find(): Promise<TranscriptsFound>
  /**
   * Continues reading new lines in folders that were imported whole, if there are any and the settings allow it. Call
   * it when the recorder is ready; an import starts it automatically.
   */
  follow(): void
  /**
   * Imports named files and folders, or all that is found. Yields the state several times a second, the last one with
   * `done`. Ends early if the caller leaves or `signal` aborts: what was read stays, and nothing is imported twice.
   */
  import(paths: readonly string[] | null, signal?: AbortSignal): AsyncGenerator<ImportProgress>
  /** Continues with other settings; a running import finishes with its own. */
  reconfigure(config: ImporterStart['config']): Promise<void>
  stop(): Promise<void>
}

/** A job's messages for the reader of its progress. Only the newest progress counts. */
interface Job {
  newest: ImportProgress | null
  found: TranscriptsFound | null
  error: Error | null
  wake: () => void
}

export function createImporter(options: ImporterOptions): Importer {
  const { dataDir, claudeFolders, recorder, logger } = options
  let { config } = options
  /** The thread still has older settings. */
  let isStale = false
  const jobs = new Map<number, Job>()
  let worker: Worker | null = null
  let lastJob = 0
  let isFollowing = false
  /** It was asked whether there is something to follow, and has not answered. */
  let isAsked = false
  let reconnect: NodeJS.Timeout | null = null

  function thread(): Worker {
    if (worker !== null) return worker
    const next = new Worker(threadEntry('importer-thread'), {
      name: 'importer',
      workerData: { dataDir, config, claudeFolders } satisfies ImporterStart,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
    worker = next
    next.on('message', receive)
    next.on('error', (error) =>
      logger.error({ error: error instanceof Error ? error.name : typeof error }, 'the importer failed'),
    )
    next.on('exit', () => {
      if (worker !== next) return
      worker = null
      isFollowing = false
      isAsked = false
      for (const job of jobs.values()) fail(job, new AspyError('internal', 'the importer ended: import again'))
    })
    connect()
    return next
  }

  function connect(): void {
    reconnect = null
    if (worker === null) return
    try {
      const port = recorder.importerPort()
      worker.postMessage({ type: 'recorder', port } satisfies ToImporterThread, [port])
    } catch {
      // The recorder is starting. Nothing is lost meanwhile: the importer keeps unanswered batches.
      reconnect ??= setTimeout(connect, RECONNECT_MS)
    }
  }

  function receive(message: FromImporterThread): void {
    if (message.type === 'line_lost') return connect()
    if (message.type === 'trouble') return logger.warn({ why: message.message }, 'transcripts are read again later')
    if (message.type === 'following') {
      isFollowing = message.isFollowing
      isAsked = false
      return void stopWhenIdle()
    }
    const job = jobs.get(message.job)
    if (!job) return
    if (message.type === 'failed') return fail(job, fromErrorAnswer(message.error))
    if (message.type === 'found') job.found = message.found
    else job.newest = message.progress
    job.wake()
  }

  function fail(job: Job, error: Error): void {
    job.error ??= error
    job.wake()
  }

  async function end(number: number): Promise<void> {
    jobs.delete(number)
    worker?.postMessage({ type: 'cancel', job: number } satisfies ToImporterThread)
    await stopWhenIdle()
  }

  async function stopWhenIdle(): Promise<void> {
    if (jobs.size > 0 || isAsked || (isFollowing && !isStale)) return
    const goesOn = isFollowing
    await stopThread()
    if (goesOn) follow()
  }

  function begin(message: (job: number) => ToImporterThread): readonly [number, Job] {
    const number = ++lastJob
    const job: Job = { newest: null, found: null, error: null, wake: () => undefined }
    jobs.set(number, job)
    thread().postMessage(message(number))
    return [number, job]
  }

  function follow(): void {
    if (!config.transcripts.follow || !config.lifestats.enabled) return
    isAsked = true
    thread().postMessage({ type: 'follow' } satisfies ToImporterThread)
  }

  async function stopThread(): Promise<void> {
    isStale = false
    if (reconnect !== null) clearTimeout(reconnect)
    reconnect = null
    const running = worker
    worker = null
    isFollowing = false
    isAsked = false
    if (running === null) return
    running.postMessage({ type: 'end' } satisfies ToImporterThread)
    await endThread(running)
  }

  return {
    async find() {
      const [number, job] = begin((job) => ({ type: 'find', job }))
      try {
        while (job.found === null && job.error === null) await new Promise<void>((resolve) => (job.wake = resolve))
        if (job.found === null) throw job.error
        return job.found
      } finally {
        await end(number)
      }
    },
    follow,
    async reconfigure(next) {
      config = next
      isStale = worker !== null
      await stopWhenIdle()
    },
    async *import(paths, signal) {
      if (signal?.aborted) throw stopped()
      const [number, job] = begin((job) => ({ type: 'import', job, paths }))
      const abort = () => fail(job, stopped())
      signal?.addEventListener('abort', abort)
      try {
        for (;;) {
          if (job.newest === null && job.error === null) await new Promise<void>((resolve) => (job.wake = resolve))
          const progress = job.newest
          job.newest = null
          if (progress !== null) yield progress
          if (progress?.done) return
          if (job.newest === null && job.error !== null) throw job.error
        }
      } finally {
        signal?.removeEventListener('abort', abort)
        await end(number)
      }
    },
    async stop() {
      for (const job of jobs.values()) fail(job, new AspyError('cancelled', 'Aspy is being stopped'))
      await stopThread()
    },
  }
}

const stopped = () => new AspyError('cancelled', 'the import was stopped; what was read is kept')
