import { createReadStream, createWriteStream, rmSync } from 'node:fs'
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip, createZstdCompress } from 'node:zlib'
import type { Config } from '../../../shared/config.ts'
import { TEMP_SUFFIX, COMPRESSIONS, logFileOf, logFilesIn, type LogFile } from '../log-files.ts'
import { errorMessage, errorCode } from '../../../shared/error-text.ts'
import { SYSTEM_CLOCK } from '../../base/clock.ts'
import { DAY_MS } from '../../../shared/time-units.ts'

export interface LogKeeperOptions {
  readonly folder: string
  readonly settings: Pick<Config['session_log'], 'compress' | 'retention_days' | 'max_total_bytes'>
  /** Checks whether a file is being written to. */
  isOpen(file: string): boolean
}

/** Background upkeep of session logs: compresses full parts and removes old files, one step at a time. */
export class LogKeeper {
  readonly #options: LogKeeperOptions
  #round: Promise<void> | null = null
  #isRequested = false
  #holds = 0
  #isClosed = false
  #compressing: { readonly file: string; readonly abort: AbortController } | null = null
  #problem: string | null = null

  constructor(options: LogKeeperOptions) {
    this.#options = options
  }

  /** Returns at once. Requests during a round are combined into one further round. */
  tidyUp(): void {
    this.#isRequested = true
    this.#start()
  }

  /** See SessionLog.hold. */
  async hold(): Promise<() => void> {
    this.#holds += 1
    this.#compressing?.abort.abort()
    this.#isRequested = true
    await this.#round
    return () => {
      this.#holds -= 1
      this.#start()
    }
  }

  /** Removes files, aborting the compression of any of them. */
  remove(isTarget: (file: string) => boolean): void {
    const { folder } = this.#options
    if (this.#compressing !== null && isTarget(this.#compressing.file)) this.#compressing.abort.abort()
    for (const { file } of logFilesIn(folder)) if (isTarget(file)) rmSync(join(folder, file), { force: true })
  }

  problem(): string | null {
    return this.#problem
  }

  close(): void {
    this.#isClosed = true
    this.#compressing?.abort.abort()
  }

  #start(): void {
    if (this.#round !== null || this.#holds > 0 || this.#isClosed || !this.#isRequested) return
    this.#isRequested = false
    this.#round = this.#run().finally(() => {
      this.#round = null
      this.#start()
    })
  }

  async #run(): Promise<void> {
    try {
      await this.#removeOld()
      for (const found of logFilesIn(this.#options.folder)) {
        if (this.#isClosed || this.#holds > 0) break
        if (found.part !== null && found.compression === null) await this.#compress(found)
      }
      this.#problem = null
    } catch (error) {
      // The next round tries again.
      this.#problem = errorMessage(error)
    }
  }

  async #compress({ file }: LogFile): Promise<void> {
    const { folder, settings } = this.#options
    if (settings.compress === 'none') return
    const from = join(folder, file)
    const to = `${from}${COMPRESSIONS[settings.compress]}`
    const temporary = `${to}${TEMP_SUFFIX}`
    const abort = new AbortController()
    this.#compressing = { file, abort }
    try {
      const { atime, mtime } = await stat(from)
      await pipeline(
        createReadStream(from),
        settings.compress === 'gzip' ? createGzip() : createZstdCompress(),
        createWriteStream(temporary, { mode: 0o600 }),
        { signal: abort.signal },
      )
      // Keeps the time of the last line, from which retention counts.
      await utimes(temporary, atime, mtime)
      if (abort.signal.aborted) return
      await rename(temporary, to)
      await rm(from, { force: true })
    } catch (error) {
      if (!abort.signal.aborted) throw error
    } finally {
      this.#compressing = null
      rmSync(temporary, { force: true })
    }
  }

  /** Removes files past retention, then the oldest until the total size is within its limit. */
  async #removeOld(): Promise<void> {
    const { folder, settings, isOpen } = this.#options
    if (settings.retention_days === 0 && settings.max_total_bytes === 0) return
    const oldest = settings.retention_days === 0 ? 0 : SYSTEM_CLOCK.wall() - settings.retention_days * DAY_MS
    const remaining: { readonly file: string; readonly bytes: number; readonly at: number }[] = []
    for (const file of await namesOf(folder)) {
      if (logFileOf(file) === null) continue
      const found = await stat(join(folder, file)).catch(() => null)
      if (found === null || !found.isFile()) continue
      if (found.mtimeMs < oldest && !isOpen(file)) await rm(join(folder, file), { force: true })
      else remaining.push({ file, bytes: found.size, at: found.mtimeMs })
    }
    if (settings.max_total_bytes === 0) return
    let total = remaining.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { file, bytes } of remaining.toSorted((one, other) => one.at - other.at)) {
      if (total <= settings.max_total_bytes) return
      if (isOpen(file)) continue
      await rm(join(folder, file), { force: true })
      total -= bytes
    }
  }
}

async function namesOf(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  })
}
