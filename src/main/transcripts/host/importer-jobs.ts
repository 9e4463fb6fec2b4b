import { AspyError, fromErrorAnswer } from '../../../shared/contract/errors.ts'
import type { FoundImage, FromImporterThread, ImportProgress, TranscriptsFound } from '../protocol.ts'

type JobMessage = Extract<FromImporterThread, { readonly job: number }>

/** One job's messages, waiting for whoever reads its progress. Only the newest progress counts. */
export class ImporterJob {
  readonly number: number
  #progress: ImportProgress | null = null
  #found: TranscriptsFound | null = null
  #image: FoundImage | null = null
  #error: Error | null = null
  #wake: () => void = () => undefined

  constructor(number: number) {
    this.number = number
  }

  receive(message: JobMessage): void {
    if (message.type === 'failed') return this.fail(fromErrorAnswer(message.error))
    if (message.type === 'found') this.#found = message.found
    else if (message.type === 'image') this.#image = message.image
    else this.#progress = message.progress
    this.#wake()
  }

  /** The first error counts. */
  fail(error: Error): void {
    this.#error ??= error
    this.#wake()
  }

  /** Waits for what a search finds. Throws if the job fails. */
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

/** The jobs under way, by number. */
export class ImporterJobs {
  readonly #jobs = new Map<number, ImporterJob>()
  #last = 0

  get isEmpty(): boolean {
    return this.#jobs.size === 0
  }

  begin(): ImporterJob {
    const job = new ImporterJob(++this.#last)
    this.#jobs.set(job.number, job)
    return job
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
