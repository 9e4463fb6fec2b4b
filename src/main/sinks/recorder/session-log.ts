import {
  close,
  closeSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../../shared/config.ts'
import type { AnyEvent } from '../../../shared/event.ts'
import { logFileOf, logFilesIn, sessionLogName } from '../log-files.ts'
import { LogKeeper } from './log-keeper.ts'
import { sessionLogLine } from './log-line.ts'
import { errorMessage } from '../../../shared/error-text.ts'

/** Open files at once, more than sessions that write in turn. Files of other sessions are reopened when needed. */
const MAX_HANDLES = 64

const FILE_MODE = 0o600

/** A problem is reported for this long, unless its log is written again. */
const PROBLEM_SHOWN_MS = 5 * 60_000

export interface SessionLogStatus {
  readonly lines: number
  /** Lines that could not be written. */
  readonly failed: number
  /** Why the last lines could not be written or `tidyUp` failed; null if there was no problem. */
  readonly problem: string | null
}

export interface SessionLogOptions {
  readonly dataDir: string
  readonly settings: Config['session_log']
  /** Returns the keys by which other sources know an event. */
  keysOf(uuid: string): readonly string[]
}

interface Handle {
  readonly file: number
  bytes: number
}

/**
 * Session logs: `logs/session-<id>.jsonl`, one event per line, for jq and grep. Opens nothing before the first event.
 * Files have mode 0600, the folder 0700.
 */
export class SessionLog {
  readonly #folder: string
  readonly #settings: SessionLogOptions['settings']
  readonly #keysOf: SessionLogOptions['keysOf']
  readonly #keeper: LogKeeper
  /** Least recently used first. */
  readonly #handles = new Map<string, Handle>()
  #written = 0
  #failed = 0
  #holds = 0
  #problem: { readonly name: string; readonly at: number; readonly message: string } | null = null

  constructor({ dataDir, settings, keysOf }: SessionLogOptions) {
    this.#folder = join(dataDir, 'logs')
    this.#settings = settings
    this.#keysOf = keysOf
    const isOpen = (name: string) => this.#handles.has(name)
    this.#keeper = new LogKeeper({ folder: this.#folder, settings, isOpen })
  }

  /** Appends committed events. Never throws: lines that could not be written are counted. */
  write(events: readonly AnyEvent[]): void {
    for (const [name, ofSession] of Map.groupBy(events, (event) => sessionLogName(event.session_id)))
      this.#append(
        name,
        ofSession.map((event) => Buffer.from(sessionLogLine(event, this.#keysOf(event.uuid)))),
      )
  }

  /** Removes all files of a session's log. */
  remove(sessionId: string): void {
    const name = sessionLogName(sessionId)
    this.release(name)
    this.#keeper.remove((file) => logFileOf(file)?.log === name)
  }

  /** Closes a log if it is open. It is reopened when its session continues. */
  release(name: string): void {
    const handle = this.#handles.get(name)
    this.#handles.delete(name)
    if (handle !== undefined) closeSync(handle.file)
  }

  /** Compresses full parts and applies the limits of age and size. Returns at once. */
  tidyUp(): void {
    this.#keeper.tidyUp()
  }

  /** Prevents rotation, compression and removal until the returned function is called. Lines are still written. */
  async hold(): Promise<() => void> {
    this.#holds += 1
    const release = await this.#keeper.hold()
    return () => {
      this.#holds -= 1
      release()
    }
  }

  status(): SessionLogStatus {
    if (this.#problem !== null && performance.now() - this.#problem.at > PROBLEM_SHOWN_MS) this.#problem = null
    const problem = this.#problem?.message ?? this.#keeper.problem()
    return { lines: this.#written, failed: this.#failed, problem }
  }

  close(): void {
    this.#keeper.close()
    for (const name of this.#handles.keys()) this.release(name)
  }

  #append(name: string, lines: readonly Buffer[]): void {
    let done = 0
    try {
      for (const batch of this.#batchesOf(name, lines)) {
        writeWhole(this.#handleOf(name), Buffer.concat(batch))
        done += batch.length
      }
      if (this.#problem?.name === name) this.#problem = null
    } catch (error) {
      // Recording continues without this file; its missing lines are counted and shown.
      this.#failed += lines.length - done
      const message = errorMessage(error)
      this.#problem = { name, at: performance.now(), message }
      this.#abandon(name)
    }
    this.#written += done
  }

  /** Groups lines to fit into files, rotating the full file between groups. A longer line gets a file to itself. */
  *#batchesOf(name: string, lines: readonly Buffer[]): Generator<readonly Buffer[]> {
    const limit = this.#settings.max_file_bytes || Infinity
    let batch: Buffer[] = []
    let bytes = this.#handleOf(name).bytes
    for (const line of lines) {
      if (bytes > 0 && bytes + line.length > limit && this.#holds === 0) {
        if (batch.length > 0) yield batch
        batch = []
        this.#rotate(name)
        bytes = 0
      }
      batch.push(line)
      bytes += line.length
    }
    if (batch.length > 0) yield batch
  }

  /** Makes the full file the newest part of its log. */
  #rotate(name: string): void {
    this.release(name)
    const folder = this.#folder
    const parts = logFilesIn(folder).flatMap(({ log, part }) => (log === name && part !== null ? [part] : []))
    renameSync(join(folder, name), join(folder, `${name}.${Math.max(0, ...parts) + 1}`))
    this.#keeper.tidyUp()
  }

  #handleOf(name: string): Handle {
    const known = this.#handles.get(name)
    if (known !== undefined) {
      this.#handles.delete(name)
      this.#handles.set(name, known)
      return known
    }
    const file = openIn(this.#folder, name)
    const { size, mode } = fstatSync(file)
    const handle = { file, bytes: size }
    this.#handles.set(name, handle)
    if ((mode & 0o777) !== FILE_MODE) fchmodSync(file, FILE_MODE)
    const oldest = this.#handles.keys().next().value
    if (this.#handles.size > MAX_HANDLES && oldest !== undefined) this.release(oldest)
    return handle
  }

  /** Closes a handle after an error, without waiting or reporting another error. */
  #abandon(name: string): void {
    const handle = this.#handles.get(name)
    this.#handles.delete(name)
    if (handle !== undefined) close(handle.file, () => undefined)
  }
}

/** Opens a file for appending. Its folder is almost always there: creating it first would take as long as opening the file. */
function openIn(folder: string, name: string): number {
  const path = join(folder, name)
  try {
    return openSync(path, 'a', FILE_MODE)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return openSync(path, 'a', FILE_MODE)
  }
}

/** Writes all bytes or, if the disk fills up, none: half a line would corrupt the next one too. */
function writeWhole(handle: Handle, bytes: Buffer): void {
  let done = 0
  try {
    while (done < bytes.length) done += writeSync(handle.file, bytes, done)
  } catch (error) {
    if (done > 0) ftruncateSync(handle.file, handle.bytes)
    throw error
  }
  handle.bytes += bytes.length
}
