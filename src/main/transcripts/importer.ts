import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { AspyError, fromErrorAnswer } from '../../shared/contract/errors.ts'
import type { Recorder } from '../recorder/supervisor.ts'
import { threadEntry } from '../thread-entry.ts'
import type { FromImporterThread, ImporterStart, ImportProgress, ToImporterThread } from './protocol.ts'

const MAX_HEAP_MB = 512
/** The recorder may be about to restart: a new line is asked for again after this. */
const RECONNECT_MS = 200

export interface ImporterOptions extends ImporterStart {
  readonly recorder: Pick<Recorder, 'importerPort'>
  readonly logger: Pick<Logger, 'warn' | 'error'>
}

/** The importer as the main thread sees it: its thread runs as long as there is something to import. */
export interface Importer {
  /**
   * Imports named files and folders; gives the state several times a second, the last with `done`. Ends early when the
   * caller leaves or `signal` aborts: what was read stays, and importing again adds nothing twice.
   */
  import(paths: readonly string[], signal?: AbortSignal): AsyncGenerator<ImportProgress>
  stop(): Promise<void>
}

/** A job's messages, waiting for whoever reads its progress. Only the newest progress counts. */
interface Job {
  newest: ImportProgress | null
  error: Error | null
  wake: () => void
}

export function createImporter({ dataDir, config, recorder, logger }: ImporterOptions): Importer {
  const jobs = new Map<number, Job>()
  let worker: Worker | null = null
  let lastJob = 0
  let reconnect: NodeJS.Timeout | null = null

  function thread(): Worker {
    if (worker !== null) return worker
    const next = new Worker(threadEntry('importer-thread'), {
      name: 'importer',
      workerData: { dataDir, config } satisfies ImporterStart,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
    worker = next
    next.on('message', receive)
    next.on('error', (error) =>
      logger.error({ error: error instanceof Error ? error.name : typeof error }, 'the importer failed'),
    )
    next.on('exit', () => {
      if (worker === next) worker = null
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
      // The recorder is starting: nothing is lost meanwhile, the importer keeps what was not answered.
      reconnect ??= setTimeout(connect, RECONNECT_MS)
    }
  }

  function receive(message: FromImporterThread): void {
    if (message.type === 'line_lost') return connect()
    const job = jobs.get(message.job)
    if (!job) return
    if (message.type === 'failed') return fail(job, fromErrorAnswer(message.error))
    job.newest = message.progress
    job.wake()
  }

  function fail(job: Job, error: Error): void {
    job.error ??= error
    job.wake()
  }

  async function end(number: number): Promise<void> {
    jobs.delete(number)
    worker?.postMessage({ type: 'cancel', job: number } satisfies ToImporterThread)
    if (jobs.size === 0) await stopThread()
  }

  async function stopThread(): Promise<void> {
    if (reconnect !== null) clearTimeout(reconnect)
    reconnect = null
    const running = worker
    worker = null
    await running?.terminate()
  }

  return {
    async *import(paths, signal) {
      const number = ++lastJob
      const job: Job = { newest: null, error: null, wake: () => undefined }
      jobs.set(number, job)
      const abort = () => fail(job, new AspyError('cancelled', 'the import was stopped; what was read is kept'))
      signal?.addEventListener('abort', abort)
      try {
        if (signal?.aborted) abort()
        else thread().postMessage({ type: 'import', job: number, paths } satisfies ToImporterThread)
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
