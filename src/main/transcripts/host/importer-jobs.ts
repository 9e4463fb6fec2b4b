import { AspyError, fromErrorAnswer } from '../../../shared/contract/errors.ts'
import type { FoundImage, FromImporterThread, ImportProgress, ToImporterThread, TranscriptsFound } from '../protocol.ts'

type JobMessage = Extract<FromImporterThread, { readonly job: number }>

/** An import's progress so far, which its next thread does not know. */
const COUNTS = ['sessions', 'events_added', 'sightings_added', 'events_deleted'] as const

/** One job's messages, waiting for whoever reads its progress. Only the newest progress counts. */
export class ImporterJob {
  readonly number: number
  /** The request to the thread. */
  readonly request: ToImporterThread
  #last: ImportProgress | null = null
  #before: ImportProgress | null = null
  #progress: ImportProgress | null = null
  #found: TranscriptsFound | null = null
  #image: FoundImage | null = null
  #error: Error | null = null
  #wake: () => void = () => undefined

  constructor(number: number, request: ToImporterThread) {
    this.number = number
    this.request = request
  }

  /** Another thread starts the job again: its counts are added to those so far. */
  restarted(): void {
    this.#before = this.#last
  }

  receive(message: JobMessage): void {
    if (message.type === 'failed') return this.fail(fromErrorAnswer(message.error))
    if (message.type === 'found') this.#found = message.found
    else if (message.type === 'image') this.#image = message.image
    else {
      this.#last = sumOf(this.#before, message.progress)
      this.#progress = this.#last
    }
    this.#wake()
  }

  /** The first error counts. */
  fail(error: Error): void {
    this.#error ??= error
    this.#wake()
  }

  /** Waits for the result of a search. Throws if the job fails. */
  async found(): Promise<TranscriptsFound> {
    while (this.#found === null && this.#error === null) await this.#message()
    if (this.#found === null) throw this.#error
    return this.#found
  }

  /** Waits for the image that is looked up. Throws if the job fails. */
  async image(): Promise<FoundImage> {
    while (this.#image === null && this.#error === null) await this.#message()
    if (this.#image === null) throw this.#error
    return this.#image
  }

  /** Yields the newest progress until the job is done. Throws if the job fails. */
  async *progress(): AsyncGenerator<ImportProgress> {
    for (;;) {
      if (this.#progress === null && this.#error === null) await this.#message()
      const progress = this.#progress
      this.#progress = null
      if (progress !== null) yield progress
      if (progress?.done) return
      if (this.#progress === null && this.#error !== null) throw this.#error
    }
  }

  #message(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }
}

function sumOf(before: ImportProgress | null, progress: ImportProgress): ImportProgress {
  if (before === null) return progress
  return { ...progress, ...Object.fromEntries(COUNTS.map((count) => [count, before[count] + progress[count]])) }
}

/** The jobs under way, by number. */
export class ImporterJobs {
  readonly #jobs = new Map<number, ImporterJob>()
  #last = 0

  get isEmpty(): boolean {
    return this.#jobs.size === 0
  }

  begin(request: (job: number) => ToImporterThread): ImporterJob {
    const number = ++this.#last
    const job = new ImporterJob(number, request(number))
    this.#jobs.set(number, job)
    return job
  }

  all(): readonly ImporterJob[] {
    return [...this.#jobs.values()]
  }

  has(job: ImporterJob): boolean {
    return this.#jobs.has(job.number)
  }

  end(job: ImporterJob): void {
    this.#jobs.delete(job.number)
  }

  receive(message: JobMessage): void {
    this.#jobs.get(message.job)?.receive(message)
  }

  failAll(code: 'internal' | 'cancelled', message: string): void {
    for (const job of this.#jobs.values()) job.fail(new AspyError(code, message))
  }
}
