import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { z } from 'zod'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { readPrivateFile } from '../../base/private-file.ts'
import { replacePrivateFile } from '../../base/replace-private-file.ts'
import type { ImportProgress } from '../protocol.ts'
import type { Importer } from './importer.ts'
import { errorMessage } from '../../../shared/error-text.ts'

export type ImportStatus = OperationOutput<'transcripts.status'>

export interface ImportRunOptions {
  readonly dataDir: string
  readonly importer: Pick<Importer, 'follow' | 'import'>
  readonly logger: Pick<Logger, 'warn'>
}

const NOTE = 'import.json'
/** Maximum age of the saved progress. Later work of a killed app is imported, but missing from the counts. */
const NOTE_MS = 500

/** Progress of this import in earlier runs of the app. */
const noteSchema = z.object({
  started_at: z.string(),
  sessions: z.number(),
  events_added: z.number(),
  worked_ms: z.number(),
})
type Note = z.infer<typeof noteSchema>

/** The app's own import of all transcripts that are found. Every window sees it, and a restart continues it. */
export class ImportRun {
  readonly #options: ImportRunOptions
  #status: ImportStatus = IDLE
  #ending: AbortController | null = null
  #notedAt = 0

  constructor(options: ImportRunOptions) {
    this.#options = options
  }

  status(): ImportStatus {
    return this.#status
  }

  /** Starts the import unless it is running. */
  start(): ImportStatus {
    if (this.#ending === null)
      this.#run({ started_at: new Date().toISOString(), sessions: 0, events_added: 0, worked_ms: 0 })
    return this.#status
  }

  /** Ends it. Everything read so far is kept, and the next import continues there. */
  stop(): ImportStatus {
    if (this.#ending !== null) {
      this.#ending.abort()
      this.#ending = null
      this.#end('stopped')
    }
    return this.#status
  }

  /**
   * Follows what was imported, if there may be anything, and continues an import that an earlier run of the app did not
   * finish. Call it when the recorder is ready.
   */
  resume(mayFollow: boolean): void {
    if (mayFollow) this.#options.importer.follow()
    if (this.#ending !== null) return
    const note = this.#readNote()
    if (note !== null) this.#run(note)
  }

  #run(before: Note): void {
    const ending = new AbortController()
    this.#ending = ending
    this.#status = { ...IDLE, ...before, state: 'running' }
    this.#writeNote()
    void this.#follow(before, ending.signal).finally(() => {
      if (this.#ending === ending) this.#ending = null
    })
  }

  async #follow(before: Note, signal: AbortSignal): Promise<void> {
    const started = performance.now()
    try {
      for await (const progress of this.#options.importer.import(null, signal)) {
        if (signal.aborted) return
        this.#advance(before, progress, before.worked_ms + performance.now() - started)
      }
      if (!signal.aborted) this.#end('done')
    } catch (error) {
      if (signal.aborted) return
      // The app stops: the next one continues.
      if (error instanceof AspyError && error.code === 'cancelled') return this.#writeNote()
      this.#end('failed', errorMessage(error))
    }
  }

  #advance(before: Note, progress: ImportProgress, workedMs: number): void {
    this.#status = {
      ...this.#status,
      progress,
      sessions: before.sessions + progress.sessions,
      events_added: before.events_added + progress.events_added,
      worked_ms: Math.round(workedMs),
    }
    if (performance.now() - this.#notedAt > NOTE_MS) this.#writeNote()
  }

  #end(state: 'done' | 'stopped' | 'failed', error: string | null = null): void {
    this.#status = { ...this.#status, state, error, ended_at: new Date().toISOString() }
    rmSync(join(this.#options.dataDir, NOTE), { force: true })
  }

  /** Without saved progress, the only effect is that the import does not continue after a restart. */
  #writeNote(): void {
    this.#notedAt = performance.now()
    const { started_at, sessions, events_added, worked_ms } = this.#status
    try {
      replacePrivateFile(
        join(this.#options.dataDir, NOTE),
        `${JSON.stringify({ started_at, sessions, events_added, worked_ms })}\n`,
      )
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'the import cannot be noted, so a restart will not continue it')
    }
  }

  #readNote(): Note | null {
    try {
      const file = readPrivateFile(join(this.#options.dataDir, NOTE))
      return file === null ? null : noteSchema.parse(JSON.parse(file.toString()))
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'the note of an import cannot be read, so it is not continued')
      return null
    }
  }
}

const IDLE: ImportStatus = {
  state: 'idle',
  progress: null,
  started_at: null,
  ended_at: null,
  sessions: 0,
  events_added: 0,
  worked_ms: 0,
  error: null,
}
